package render

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// gemtext shows a page of text/gemini. A heading at its beginning that is the page's own heading is omitted.
func (p *page) gemtext(d *fetch.Document) error {
	p.b.WriteString("<div class=\"gem\" lang=\"\">\n")
	err := p.entries(d, func(e fetch.Entry) {
		kind, text := GemtextLine(e)
		if !p.shown && kind == LineHeading && text == p.o.Title {
			p.titled = true
			return
		}
		p.gemtextLine(e, kind, text, d.URI)
	})
	p.in("", "")
	p.b.WriteString("</div>\n")
	return err
}

func (p *page) gemtextLine(e fetch.Entry, kind LineType, text string, page uri.URI) {
	switch kind {
	case LineHeading:
		p.in("", "")
		tag := p.headingTag(e.Attr[fetch.AttrHeading][0])
		p.b.WriteString("<" + tag + ">" + EscapeHTML(text) + "</" + tag + ">\n")
	case LineItem:
		p.in("<ul>\n", "</ul>\n")
		p.b.WriteString("<li>" + p.linkedText(text) + "</li>\n")
	case LineQuote:
		p.in("<blockquote>\n", "</blockquote>\n")
		p.b.WriteString("<p>" + p.linkedText(text) + "</p>\n")
	case LineVerbatim:
		p.in(verbatim(e.Attr[fetch.AttrVerbatim]))
		p.b.WriteString(EscapeHTML(text) + "\n")
	case LineLink:
		p.gemtextLink(e, page)
	default:
		p.in("", "")
		if strings.TrimSpace(text) != "" {
			p.b.WriteString("<p>" + p.linkedText(text) + "</p>\n")
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
func verbatim(alt []string) (open, closing string) {
	if alt[0] == "" {
		return "<figure><pre tabindex=\"0\">\n", "</pre></figure>\n"
	}
	name := EscapeHTML(alt[0])
	return "<figure><pre tabindex=\"0\" role=\"img\" aria-label=\"" + name + "\">\n", "</pre><figcaption>" + name + "</figcaption></figure>\n"
}

// gemtextLink shows a link on its own line, with its scheme and host if they are not those of the page.
func (p *page) gemtextLink(e fetch.Entry, page uri.URI) {
	if e.Kind == fetch.KindSearch && p.o.Search != "" {
		p.searchForm(e)
		return
	}
	p.in("<ul class=\"links\">\n", "</ul>\n")
	where := ""
	if u := e.URI; !u.IsZero() && (u.Scheme() != page.Scheme() || u.Hostname() != page.Hostname()) {
		where = " <small>" + EscapeHTML(u.Scheme()) + ", " + EscapeHTML(u.Hostname()) + "</small>"
		if u.Hostname() == "" {
			where = " <small>" + EscapeHTML(u.Scheme()) + "</small>"
		}
	}
	p.b.WriteString("<li><span class=\"i link\"></span>" + p.link(e) + where + "</li>\n")
}
