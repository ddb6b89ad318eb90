package render

import (
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

// messageText shows a message as text: its decoded header, its texts, and a line for each other part.
type messageText struct {
	w      io.Writer
	base   uri.URI
	o      *Options
	chosen string // Document.Charset
	position
	shown string // the group of the text that was shown last
}

// noGroup is the group before any text has been shown.
const noGroup = "none"

func (l *messageText) field(name, value string) { fmt.Fprintf(l.w, "%s: %s\n", name, value) }

func (l *messageText) body() { fmt.Fprintln(l.w) }

func (l *messageText) broken(err error) error {
	_, err = fmt.Fprintf(l.w, "\n[broken: %s]\n", Escape(err.Error()))
	return err
}

// part shows one part. Of alternatives it shows the first text, which is the simplest (RFC 2046 section 5.1.4): a page is not shown after a text of
// the same group, or within it.
func (l *messageText) part(part mimemail.Part) error {
	if l.opens(part) {
		fmt.Fprintf(l.w, "\n[part %s]\n", l.title(part))
		inner := *l
		inner.position, inner.shown = l.within(part), noGroup
		if err := writeMessage(&inner, part.Body); err != nil {
			return err
		}
		_, err := fmt.Fprintf(l.w, "\n[end of part %s]\n", l.number(part))
		return err
	}
	again := mediatype.IsPage(part.Type) && strings.HasPrefix(part.Path, l.shown)
	if !isShown(part) || again {
		n, err := io.Copy(io.Discard, part.Body)
		if n > 0 || err == nil {
			fmt.Fprintf(l.w, "\n[part %s, %d bytes]\n", l.title(part), n)
		}
		return err
	}
	text, base := charset.Source{Chosen: l.chosen, Type: part.Type}.Page(part.Body, l.base)
	if part.Number > 1 {
		fmt.Fprintln(l.w)
	}
	if mediatype.IsPage(part.Type) && l.o.Page != nil {
		return l.o.Page(l.w, text, mediatype.IsXML(part.Type), base, l.o.width())
	}
	l.shown = part.Path[:strings.LastIndexByte(part.Path, '.')+1]
	_, err := io.Copy(l.w, text)
	return err
}

// title returns number, type and name of a part: "2: image/gif a.gif".
func (l *messageText) title(part mimemail.Part) string {
	kind := mediatype.Essence(part.Type)
	return l.number(part) + ": " + strings.TrimSpace(kind+" "+Escape(part.Name))
}
