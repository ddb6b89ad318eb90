package render

import (
	"cmp"
	"io"
	"slices"

	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
)

// field shows a field of a header, unless it is the title of the page.
func (p *page) field(name, value string) {
	if name != "Subject" || value != p.o.Title {
		p.in("<dl>\n", "</dl>\n")
		p.put("<dt>%s</dt><dd>%s</dd>\n", name, value)
	}
}

func (p *page) body() { p.in("", "") }

func (p *page) broken(err error) error {
	p.in("", "")
	p.put("<p class=\"facts\">broken: %s</p>\n", err)
	return nil
}

// part shows one part of a message. One that is a message is in a block. HTML is in a frame, and other parts than texts are links.
func (p *page) part(part mimemail.Part) error {
	defer p.b.Flush()
	kind := mediatype.Essence(part.Type)
	if p.at.opens(part) {
		p.heading(part, kind)
		p.put("<blockquote>\n")
		outer := p.at
		p.at = outer.within(part)
		err := writeMessage(p, part.Body)
		p.at = outer
		p.in("", "")
		p.put("</blockquote>\n")
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
	p.put("<p class=\"facts\">%s</p>\n", Bytes(n))
	if p.o.Part != nil && p.at.depth == 0 && slices.Contains([]string{"image/png", "image/gif", "image/jpeg", "image/webp", "image/avif", "image/bmp"}, kind) {
		p.put("<p><img class=\"o\" src=\"%s\" alt=\"%s\"></p>\n", p.o.Part(part.Number), cmp.Or(part.Name, "Part "+p.at.number(part)))
	}
	return err
}

// heading shows the name of a part with a link to it. The parts of a message within a part have no link.
func (p *page) heading(part mimemail.Part, kind string) {
	p.in("", "")
	name := "Part " + p.at.number(part)
	if part.Name != "" {
		name += ", " + part.Name
	}
	shown := HTMLf("%s", name)
	if p.o.Part != nil && p.at.depth == 0 {
		shown = HTMLf("<a href=\"%s\">%s</a>", p.o.Part(part.Number), name)
	}
	p.put("<h2>%s <small>%s</small></h2>\n", shown, kind)
}
