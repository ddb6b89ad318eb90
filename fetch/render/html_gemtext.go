package render

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// gemtext shows a page of text/gemini. A heading at its beginning that is the page's own heading is omitted.
func (p *page) gemtext(d *fetch.Document) error {
	p.put("<div class=\"gem\" lang=\"\">\n")
	err := p.entries(d, func(e fetch.Entry) {
		kind, text := GemtextLine(e)
		if !p.shown && kind == LineHeading && text == p.o.Title {
			p.titled = true
			return
		}
		p.gemtextLine(e, kind, text, d.URI)
	})
	p.in("", "")
	p.put("</div>\n")
	return err
}

func (p *page) gemtextLine(e fetch.Entry, kind LineType, text string, page uri.URI) {
	switch kind {
	case LineHeading:
		p.in("", "")
		tag := p.headingTag(e.Attr[fetch.AttrHeading][0])
		p.put("<%s>%s</%s>\n", tag, text, tag)
	case LineItem:
		p.in("<ul>\n", "</ul>\n")
		p.put("<li>%s</li>\n", p.linkedText(text))
	case LineQuote:
		p.in("<blockquote>\n", "</blockquote>\n")
		p.put("<p>%s</p>\n", p.linkedText(text))
	case LineVerbatim:
		p.in(verbatim(e.Attr[fetch.AttrVerbatim]))
		p.put("%s\n", text)
	case LineLink:
		p.gemtextLink(e, page)
	default:
		p.in("", "")
		if strings.TrimSpace(text) != "" {
			p.put("<p>%s</p>\n", p.linkedText(text))
		}
	}
}

// headingTag returns the tag of a heading. The page's own heading is H1, and no level is left out on the way down.
func (p *page) headingTag(rank string) string {
	level, err := strconv.Atoi(rank)
	switch {
	case err != nil || level < 2:
		level = 2
	case !p.titled:
		level++
	}
	p.level = min(level, max(p.level, 1)+1)
	return "h" + strconv.Itoa(p.level)
}

// verbatim returns the tags of a preformatted block with its alternative text.
func verbatim(alt []string) (open, closing Markup) {
	if alt[0] == "" {
		return "<figure><pre tabindex=\"0\">\n", "</pre></figure>\n"
	}
	return HTMLf("<figure><pre tabindex=\"0\" role=\"img\" aria-label=\"%s\">\n", alt[0]), HTMLf("</pre><figcaption>%s</figcaption></figure>\n", alt[0])
}

// gemtextLink shows a link on its own line, with its scheme and host if they are not those of the page.
func (p *page) gemtextLink(e fetch.Entry, page uri.URI) {
	if e.Kind == fetch.KindSearch && p.o.Search != "" {
		p.searchForm(e)
		return
	}
	p.in("<ul class=\"links\">\n", "</ul>\n")
	var where Markup
	if u := e.URI; !u.IsZero() && (u.Scheme() != page.Scheme() || u.Hostname() != page.Hostname()) {
		where = HTMLf(" <small>%s</small>", strings.TrimSuffix(u.Scheme()+", "+u.Hostname(), ", "))
	}
	p.put("<li><span class=\"i link\"></span>%s%s</li>\n", p.link(e), where)
}
