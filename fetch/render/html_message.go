package render

import (
	"bytes"
	"cmp"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

// mail shows a message: its header as a list, its texts, HTML in a frame, and links to the other parts. An error in the message is shown in its
// place and not returned.
func (p *page) mail(in io.Reader, base uri.URI, outer position) error {
	head, err := mailHeader(in)
	if err != nil {
		return err
	}
	p.fields(head)
	for part, err := range mimemail.Parts(io.MultiReader(bytes.NewReader(head), in), maxNesting) {
		if err == nil {
			err = p.part(part, base, outer)
		}
		switch {
		case fetch.KindOf(err) != "":
			return err
		case err != nil:
			p.in("", "")
			p.b.WriteString("<p class=\"facts\">broken: " + EscapeHTML(err.Error()) + "</p>\n")
			return nil
		}
		p.b.Flush()
	}
	return nil
}

// fields shows the fields of a header.
func (p *page) fields(head []byte) {
	h := mimemail.ParseHeader(head)
	label := h.Charset()
	p.in("", "")
	p.b.WriteString("<dl>\n")
	for _, name := range shownFields() {
		if v := h.Get(name); v != "" && (name != "Subject" || mimemail.WordsIn(v, label) != p.o.Title) {
			p.b.WriteString("<dt>" + name + "</dt><dd>" + EscapeHTML(mimemail.WordsIn(v, label)) + "</dd>\n")
		}
	}
	p.b.WriteString("</dl>\n")
}

// part shows one part of a message.
func (p *page) part(part mimemail.Part, base uri.URI, outer position) error {
	kind, _ := mediaType(part.Type)
	if outer.opens(part) {
		p.heading(part, kind, outer)
		return p.within(part, base, outer)
	}
	text, in := charset.Source{Chosen: p.chosen, Type: part.Type}.Page(part.Body, base)
	switch {
	case mediatype.IsPage(part.Type) && p.o.Foreign != nil:
		p.heading(part, kind, outer)
		original := ""
		if p.o.Part != nil && outer.depth == 0 {
			original = p.o.Part(part.Number)
		}
		return p.frame(text, part.Type, in, "Part "+outer.number(part), original, false)
	case isShown(part):
		if part.Number > 1 {
			p.heading(part, kind, outer)
		}
		return p.text(text)
	}
	n, err := io.Copy(io.Discard, part.Body)
	if n == 0 && err != nil {
		return err
	}
	p.heading(part, kind, outer)
	p.b.WriteString("<p class=\"facts\">" + Bytes(n) + "</p>\n")
	if p.o.Part != nil && outer.depth == 0 && isPicture(kind) {
		p.b.WriteString("<p><img class=\"o\" src=\"" + EscapeHTML(p.o.Part(part.Number)) + "\" alt=\"" + EscapeHTML(cmp.Or(part.Name, "Part "+outer.number(part))) + "\"></p>\n")
	}
	return err
}

// isPicture reports whether browsers show a type as an image.
func isPicture(kind string) bool {
	switch kind {
	case "image/png", "image/gif", "image/jpeg", "image/webp", "image/avif", "image/bmp":
		return true
	}
	return false
}

// within shows a part that is a message, in a block. Errors in the message are shown there.
func (p *page) within(part mimemail.Part, base uri.URI, outer position) error {
	p.in("", "")
	p.b.WriteString("<blockquote>\n")
	err := p.mail(part.Body, base, outer.within(part))
	p.in("", "")
	p.b.WriteString("</blockquote>\n")
	return err
}

// heading shows the name of a part with a link to it. The parts of a message within a part have no link.
func (p *page) heading(part mimemail.Part, kind string, outer position) {
	p.in("", "")
	name := "Part " + outer.number(part)
	if part.Name != "" {
		name += ", " + part.Name
	}
	name = EscapeHTML(name)
	if p.o.Part != nil && outer.depth == 0 {
		name = "<a href=\"" + EscapeHTML(p.o.Part(part.Number)) + "\">" + name + "</a>"
	}
	p.b.WriteString("<h2>" + name + " <small>" + EscapeHTML(kind) + "</small></h2>\n")
}
