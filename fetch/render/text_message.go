package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

// textMessage shows a message: its decoded header, its texts, and a line for each other part.
func textMessage(w io.Writer, d *fetch.Document, o *Options) error {
	return messageText{w: w, base: d.Base, o: o, chosen: d.Charset}.show(d.Body)
}

// messageText shows a message, or one within it, as text.
type messageText struct {
	w     io.Writer
	base  uri.URI
	o     *Options
	outer position

	chosen string // Document.Charset
}

// show shows the message. An error in the message is shown in its place and not returned.
func (l messageText) show(in io.Reader) error {
	head, err := mailHeader(in)
	if err != nil {
		return err
	}
	textFields(l.w, head)
	shown := noGroup
	for part, err := range mimemail.Parts(io.MultiReader(bytes.NewReader(head), in), maxNesting) {
		if err == nil {
			shown, err = l.part(part, shown)
		}
		switch {
		case fetch.KindOf(err) != "":
			return err
		case err != nil:
			_, err := fmt.Fprintf(l.w, "\n[broken: %s]\n", Escape(err.Error()))
			return err
		}
	}
	return nil
}

func textFields(w io.Writer, head []byte) {
	h := mimemail.ParseHeader(head)
	label := h.Charset()
	for _, name := range shownFields() {
		if v := h.Get(name); v != "" {
			fmt.Fprintf(w, "%s: %s\n", name, mimemail.WordsIn(v, label))
		}
	}
	fmt.Fprintln(w)
}

// noGroup is the group before any text has been shown.
const noGroup = "none"

// part shows one part. Of alternatives it shows the first text, which is the simplest (RFC 2046 section 5.1.4): a page is not shown after a text of
// the same group, or within it.
func (l messageText) part(part mimemail.Part, beside string) (group string, err error) {
	if l.outer.opens(part) {
		return beside, l.within(part)
	}
	group = part.Path[:strings.LastIndexByte(part.Path, '.')+1]
	again := mediatype.IsPage(part.Type) && strings.HasPrefix(part.Path, beside)
	if !isShown(part) || again {
		n, err := io.Copy(io.Discard, part.Body)
		if n == 0 && err != nil {
			return beside, err
		}
		fmt.Fprintf(l.w, "\n[part %s, %d bytes]\n", l.title(part), n)
		return beside, err
	}
	text, base := charset.Source{Chosen: l.chosen, Type: part.Type}.Page(part.Body, l.base)
	if part.Number > 1 {
		fmt.Fprintln(l.w)
	}
	if mediatype.IsPage(part.Type) && l.o.Page != nil {
		return beside, l.o.Page(l.w, text, mediatype.IsXML(part.Type), base, l.o.width())
	}
	_, err = io.Copy(l.w, text)
	return group, err
}

// title returns number, type and name of a part: "2: image/gif a.gif".
func (l messageText) title(part mimemail.Part) string {
	kind, _ := mediaType(part.Type)
	return l.outer.number(part) + ": " + strings.TrimSpace(kind+" "+Escape(part.Name))
}

// within shows a part that is a message, and its end.
func (l messageText) within(part mimemail.Part) error {
	fmt.Fprintf(l.w, "\n[part %s]\n", l.title(part))
	inner := l
	inner.outer = l.outer.within(part)
	if err := inner.show(part.Body); err != nil {
		return err
	}
	_, err := fmt.Fprintf(l.w, "\n[end of part %s]\n", l.outer.number(part))
	return err
}
