package render

import (
	"cmp"
	"io"

	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
)

// field shows a field of a header, unless it is the title of the page.
func (p *page) field(name, value string) {
	if name != "Subject" || value != p.o.Title {
		p.in("<dl>\n", "</dl>\n")
		p.b.WriteString("<dt>" + name + "</dt><dd>" + EscapeHTML(value) + "</dd>\n")
	}
}

func (p *page) body() { p.in("", "") }

func (p *page) broken(err error) error {
	p.in("", "")
	p.b.WriteString("<p class=\"facts\">broken: " + EscapeHTML(err.Error()) + "</p>\n")
	return nil
}

// part shows one part of a message. One that is a message is in a block. HTML is in a frame, and other parts than texts are links.
func (p *page) part(part mimemail.Part) error {
	defer p.b.Flush()
	kind, _ := mediaType(part.Type)
	if p.at.opens(part) {
		p.heading(part, kind)
		p.b.WriteString("<blockquote>\n")
		outer := p.at
		p.at = outer.within(part)
		err := writeMessage(p, part.Body)
		p.at = outer
		p.in("", "")
		p.b.WriteString("</blockquote>\n")
		return err
	}
	text, in := charset.Source{Chosen: p.chosen, Type: part.Type}.Page(part.Body, p.base)
	switch {
	case mediatype.IsPage(part.Type) && p.o.Foreign != nil:
		p.heading(part, kind)
		original := ""
		if p.o.Part != nil && p.at.depth == 0 {
			original = p.o.Part(part.Number)
		}
		return p.frame(text, part.Type, in, "Part "+p.at.number(part), original, false)
	case isShown(part):
		if part.Number > 1 {
			p.heading(part, kind)
		}
		return p.text(text)
	}
	n, err := io.Copy(io.Discard, part.Body)
	if n == 0 && err != nil {
		return err
	}
	p.heading(part, kind)
	p.b.WriteString("<p class=\"facts\">" + Bytes(n) + "</p>\n")
	if p.o.Part != nil && p.at.depth == 0 && isPicture(kind) {
		p.b.WriteString("<p><img class=\"o\" src=\"" + EscapeHTML(p.o.Part(part.Number)) + "\" alt=\"" + EscapeHTML(cmp.Or(part.Name, "Part "+p.at.number(part))) + "\"></p>\n")
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

// heading shows the name of a part with a link to it. The parts of a message within a part have no link.
func (p *page) heading(part mimemail.Part, kind string) {
	p.in("", "")
	name := "Part " + p.at.number(part)
	if part.Name != "" {
		name += ", " + part.Name
	}
	name = EscapeHTML(name)
	if p.o.Part != nil && p.at.depth == 0 {
		name = "<a href=\"" + EscapeHTML(p.o.Part(part.Number)) + "\">" + name + "</a>"
	}
	p.b.WriteString("<h2>" + name + " <small>" + EscapeHTML(kind) + "</small></h2>\n")
}
