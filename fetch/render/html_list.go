package render

import (
	"cmp"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// list shows menus of gopher and pages of gemtext as such. It shows other entries as rows of a table, directory and registry entries as a list,
// articles below the ones they reply to, and text lines unchanged between them.
func (p *page) list(d *fetch.Document) error {
	kind, _ := mediaType(d.Type)
	if kind == "text/gemini" {
		return p.gemtext(d)
	}
	p.defines = d.URI.Scheme() == "dict" && strings.HasPrefix(string(d.URI.Path()), "/d:")
	show := p.entry
	if isMenu(d, kind) {
		show = p.item
	}
	err := p.entries(d, show)
	p.thread()
	if err == nil && !p.shown {
		p.b.WriteString("<p>There are no entries.</p>\n")
	}
	return err
}

// entries shows the entries of d.
func (p *page) entries(d *fetch.Document, show func(fetch.Entry)) error {
	n := 0
	for e, err := range readable(d, p.o) {
		if err != nil {
			return err
		}
		show(e)
		p.shown = true
		if n++; n < 100 { // show the first entries at once: users read a long listing while it arrives
			p.b.Flush()
		}
	}
	return nil
}

// entry shows an entry of a listing that is not a menu.
func (p *page) entry(e fetch.Entry) {
	if p.layout.heads == nil && (!e.URI.IsZero() || columns(e) != nil) {
		p.layout = layoutOf(e)
	}
	l := p.layout
	if e.Kind == fetch.KindMessage && !e.URI.IsZero() {
		if !p.isSorted() {
			p.hold(e)
			return
		}
		p.orders(e)
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
	case p.defines && !e.URI.IsZero():
		p.in("", "")
		p.b.WriteString("<h2>" + p.link(e) + " <small>" + cmp.Or(first(e, "description"), first(e, "database")) + "</small></h2>\n")
	case e.URI.IsZero() && p.open != l.open(p.o.Sort):
		p.in(preOpen, preEnd)
		p.linked(title(e) + "\n")
	case e.URI.IsZero():
		p.note(e, l)
	default:
		p.in(l.open(p.o.Sort), tableEnd)
		p.b.WriteString("<tr>" + l.cells(p, e) + "</tr>\n")
	}
}

// note shows text between the rows of a table.
func (p *page) note(e fetch.Entry, l layout) {
	p.in(l.open(p.o.Sort), tableEnd)
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
	name := title(e)
	if v := e.Attr["name"]; e.Attr["oid"] != nil && len(v) > 0 { // the title of an SNMP object repeats its type and value
		name = charset.Text(v[0])
	}
	if e.URI.IsZero() {
		return EscapeHTML(name)
	}
	return p.anchor(e.URI, name)
}

// row shows a row of a table with its own columns.
func (p *page) row(e fetch.Entry) {
	head := "<table>\n<caption>Rows</caption>\n<thead><tr><td></td>"
	for _, c := range columns(e) {
		head += "<th scope=\"col\">" + EscapeHTML(c) + "</th>"
	}
	p.in(head+"</tr></thead>\n<tbody>\n", tableEnd)
	p.b.WriteString("<tr>" + rowHead + p.link(e) + "</th>")
	for _, c := range cells(e) {
		p.b.WriteString("<td>" + EscapeHTML(c) + "</td>")
	}
	p.b.WriteString("</tr>\n")
}

// attributes shows the attributes of a directory entry. The name of one with several values is shown once.
func (p *page) attributes(e fetch.Entry) {
	last := ""
	for a := range attributes(e) {
		if last == "" {
			p.b.WriteString("\n<dl>\n")
		}
		if a.name != last {
			p.b.WriteString("<dt>" + EscapeHTML(a.name) + "</dt>")
			last = a.name
		}
		text := folded(a.text)
		if !a.link.IsZero() {
			text = p.anchor(a.link, a.text)
		}
		p.b.WriteString("<dd>" + text + "</dd>\n")
	}
	if last != "" {
		p.b.WriteString("</dl>\n")
	}
}

// long is how much of a value is shown at first, and maxShown how much in total.
const (
	long     = 200
	maxShown = 8 << 10
)

// folded returns a value. A long one is folded.
func folded(s string) string {
	if n := len(s); n > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "\n… (" + Bytes(int64(n)) + ")"
	}
	first, _, lines := strings.Cut(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if !lines && len(s) <= long {
		return EscapeHTML(s)
	}
	if len(first) > long {
		first = strings.ToValidUTF8(first[:long], "") + "…"
	}
	return "<details><summary>" + EscapeHTML(first) + "</summary>" + "<pre lang=\"\">\n" + EscapeHTML(s) + "</pre></details>"
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
