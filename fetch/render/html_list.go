package render

import (
	"cmp"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
)

// list shows menus of gopher and pages of gemtext as such. It shows other entries as rows of a table, directory and registry entries as a list,
// articles below the ones they reply to, and text lines unchanged between them.
func (p *page) list(d *fetch.Document) error {
	kind := mediatype.Essence(d.Type)
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
		p.put("<p>There are no entries.</p>\n")
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
		p.head = p.layout.open(p.o.Sort)
	}
	if e.Kind == fetch.KindMessage && !e.URI.IsZero() {
		if !p.isSorted() {
			if p.held = append(p.held, e); len(p.held) == threadOf {
				p.thread()
			}
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
		p.put("<li>%s", p.link(e))
		p.attributes(e)
		p.put("</li>\n")
	case p.defines && !e.URI.IsZero():
		p.in("", "")
		p.put("<h2>%s <small>%s</small></h2>\n", p.link(e), cmp.Or(first(e, "description"), first(e, "database")))
	case e.URI.IsZero() && (p.head == "" || p.open != p.head):
		p.in(preOpen, preEnd)
		p.put("%s\n", p.linkedText(title(e)))
	case e.URI.IsZero(): // text between the rows of a table
		p.in(p.head, tableEnd)
		p.put("<tr><td class=\"note\" colspan=\"%d\">%s</td></tr>\n", len(p.layout.heads), p.preformatted(title(e)))
	default:
		p.in(p.head, tableEnd)
		p.put("<tr>%s</tr>\n", p.layout.cells(p, e))
	}
}

// preformatted returns a line whose blanks are kept.
func (p *page) preformatted(s string) Markup {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return HTMLf("<pre lang=\"\">%s</pre>", s)
}

func (p *page) link(e fetch.Entry) Markup {
	name := title(e)
	if v := e.Value("name"); e.Attr["oid"] != nil && v != "" { // the title of an SNMP object repeats its type and value
		name = charset.Text(v)
	}
	if e.URI.IsZero() {
		return HTMLf("%s", name)
	}
	return p.anchor(e.URI, name)
}

// row shows a row of a table with its own columns.
func (p *page) row(e fetch.Entry) {
	head := Markup("<table>\n<caption>Rows</caption>\n<thead><tr><td></td>")
	for _, c := range columns(e) {
		head += HTMLf("<th scope=\"col\">%s</th>", c)
	}
	p.in(head+"</tr></thead>\n<tbody>\n", tableEnd)
	p.put("<tr>%s%s</th>", rowHead, p.link(e))
	for _, c := range cells(e) {
		p.put("<td>%s</td>", c)
	}
	p.put("</tr>\n")
}

// attributes shows the attributes of a directory entry. The name of one with several values is shown once.
func (p *page) attributes(e fetch.Entry) {
	last := ""
	for a := range attributes(e) {
		if last == "" {
			p.put("\n<dl>\n")
		}
		if a.name != last {
			p.put("<dt>%s</dt>", a.name)
			last = a.name
		}
		text := folded(a.text)
		if !a.link.IsZero() {
			text = p.anchor(a.link, a.text)
		}
		p.put("<dd>%s</dd>\n", text)
	}
	if last != "" {
		p.put("</dl>\n")
	}
}

// long is how much of a value is shown at first, and maxShown how much in total.
const (
	long     = 200
	maxShown = 8 << 10
)

// folded returns a value. A long one is folded.
func folded(s string) Markup {
	if n := len(s); n > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "\n… (" + Bytes(int64(n)) + ")"
	}
	first, _, lines := strings.Cut(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if !lines && len(s) <= long {
		return HTMLf("%s", s)
	}
	if len(first) > long {
		first = strings.ToValidUTF8(first[:long], "") + "…"
	}
	return HTMLf("<details><summary>%s</summary><pre lang=\"\">\n%s</pre></details>", first, s)
}

// in closes the open element and opens another, if they differ.
func (p *page) in(open, closing Markup) {
	if open == p.open {
		return
	}
	p.put("%s%s", p.closing, open)
	p.open, p.closing = open, closing
}

// tableEnd closes a table.
const tableEnd = "</tbody>\n</table>\n"
