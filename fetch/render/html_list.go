package render

import (
	"strings"

	"example.org/deref/fetch"
)

// list shows entries as rows of a table, directory and registry entries as a list, articles below the ones they reply to, and text lines
// unchanged between them.
func (p *page) list(d *fetch.Document) error {
	n, layout := 0, layout{}
	for e, err := range readable(d, p.o) {
		if err != nil {
			p.thread()
			return err
		}
		if !e.URI.IsZero() || columns(e) != nil {
			if n++; n == 1 {
				layout = layoutOf(e)
			}
		}
		p.show(e, layout)
		if n < 100 { // show the first entries at once: users read a long listing while it arrives
			p.b.Flush()
		}
	}
	p.thread()
	if n == 0 {
		p.in("", "")
		p.b.WriteString("<p>There are no links.</p>\n")
	}
	return nil
}

// show shows one entry.
func (p *page) show(e fetch.Entry, l layout) {
	if e.Kind == fetch.KindMessage && !e.URI.IsZero() {
		p.hold(e)
		return
	}
	p.thread()
	switch {
	case columns(e) != nil:
		p.row(e)
	case showsAttributes(e):
		p.in("<ul class=\"plain\">\n", "</ul>\n")
		p.b.WriteString("<li>" + p.link(e))
		p.attributes(e)
		p.b.WriteString("</li>\n")
	case e.Attr["heading"] != nil:
		p.in("", "")
		p.b.WriteString(headline(e))
	case e.URI.IsZero() && p.open != l.open():
		p.in(preOpen, preEnd)
		p.linked(title(e) + "\n")
	case e.URI.IsZero():
		p.note(e, l)
	default:
		p.in(l.open(), tableEnd)
		p.b.WriteString("<tr>" + l.cells(p, e) + "</tr>\n")
	}
}

// headline returns a heading within a text, of gemtext's three levels. All are below that of the page.
func headline(e fetch.Entry) string {
	tag := map[string]string{"2": "h3", "3": "h4"}[e.Attr["heading"][0]]
	if tag == "" {
		tag = "h2"
	}
	return "<" + tag + " lang=\"\">" + EscapeHTML(strings.TrimSpace(strings.TrimLeft(title(e), "#"))) + "</" + tag + ">\n"
}

// note shows text between the rows of a table.
func (p *page) note(e fetch.Entry, l layout) {
	p.in(l.open(), tableEnd)
	p.b.WriteString("<tr><td class=\"note\" colspan=\"" + l.width() + "\">" + p.preformatted(title(e)) + "</td></tr>\n")
}

// preformatted returns a line whose blanks are kept.
func (p *page) preformatted(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return "<pre lang=\"\">" + EscapeHTML(s) + "</pre>"
}

func (p *page) link(e fetch.Entry) string {
	if e.URI.IsZero() {
		return EscapeHTML(title(e))
	}
	return p.anchor(e.URI, title(e))
}

// row shows a row of a table with its own columns.
func (p *page) row(e fetch.Entry) {
	head := "<table>\n<caption>Rows</caption>\n<thead><tr><td></td>"
	for _, c := range columns(e) {
		head += "<th scope=\"col\">" + EscapeHTML(c) + "</th>"
	}
	p.in(head+"</tr></thead>\n<tbody>\n", tableEnd)
	p.b.WriteString("<tr><th scope=\"row\">" + p.link(e) + "</th>")
	for _, c := range cells(e) {
		p.b.WriteString("<td>" + EscapeHTML(c) + "</td>")
	}
	p.b.WriteString("</tr>\n")
}

// attributes shows the attributes of a directory entry.
func (p *page) attributes(e fetch.Entry) {
	n := 0
	for a := range attributes(e) {
		if n++; n == 1 {
			p.b.WriteString("\n<dl>\n")
		}
		text := folded(a.text)
		if !a.link.IsZero() {
			text = p.anchor(a.link, a.text)
		}
		p.b.WriteString("<dt>" + EscapeHTML(a.name) + "</dt><dd>" + text + "</dd>\n")
	}
	if n > 0 {
		p.b.WriteString("</dl>\n")
	}
}

// long is how much of a value is shown at first.
const long = 200

// folded returns a value. A long one is folded.
func folded(s string) string {
	first, _, lines := strings.Cut(s, "\n")
	if !lines && len(s) <= long {
		return EscapeHTML(s)
	}
	if len(first) > long {
		first = strings.ToValidUTF8(first[:long], "") + "…"
	}
	return "<details><summary>" + EscapeHTML(first) + "</summary>" + "<pre lang=\"\">\n" + EscapeHTML(s) + "</pre></details>"
}

func dateHTML(e fetch.Entry) string {
	if e.Modified.IsZero() {
		return ""
	}
	return "<time datetime=\"" + e.Modified.UTC().Format("2006-01-02T15:04:05Z") + "\">" + date(e) + "</time>"
}

// in closes the open element and opens another, if they differ.
func (p *page) in(open, closing string) {
	if open == p.open {
		return
	}
	p.b.WriteString(p.closing + open)
	p.open, p.closing = open, closing
}

// tableEnd closes a table.
const tableEnd = "</tbody>\n</table>\n"
