package render

import (
	"strings"

	"example.org/deref/fetch"
)

// isMenu reports whether a listing is a text with links, whose spaces matter: a menu of gopher, or a directory of nex.
func isMenu(d *fetch.Document, kind string) bool {
	switch kind {
	case "application/gopher-menu", "application/gopher+-menu":
		return true
	}
	return d.URI.Scheme() == "nex"
}

const menuOpen = "<pre class=\"menu\" lang=\"\">\n"

// item shows an item of a menu, as clients of gopher do: the type, the name, and text at the same column. Searches are forms.
func (p *page) item(e fetch.Entry) {
	if e.Kind == fetch.KindSearch && p.o.Search != "" {
		p.searchForm(e)
		return
	}
	p.in(menuOpen, preEnd)
	p.put("<span class=\"l\">%s\n</span>", p.menuLine(e)) // its end is in the block, so that it is not counted twice
}

// menuLine returns the text of a line, with its type.
func (p *page) menuLine(e fetch.Entry) Markup {
	switch {
	case e.URI.IsZero() && e.Attr["item"] != nil:
		return HTMLf("<span class=\"k bad\"> ERR</span> %s", title(e))
	case e.URI.IsZero():
		return HTMLf("<span class=\"k\">    </span> %s", p.linkedText(title(e)))
	}
	return HTMLf("<span class=\"k\">%4s</span> %s", marker(e), p.link(e))
}

// marker returns the type of an item in up to four letters.
func marker(e fetch.Entry) string {
	scheme := e.URI.Scheme()
	if path := e.URI.Path(); scheme == "gopher" || scheme == "gophers" {
		item := byte('1')
		if len(path) > 1 {
			item = path[1]
		}
		return gopherMarker(item)
	}
	switch {
	case strings.HasPrefix(scheme, "http"):
		return "WEB"
	case e.Kind == fetch.KindSession:
		return "TEL"
	case scheme == "nex" && e.Kind == fetch.KindDir:
		return "DIR"
	case scheme == "nex":
		return ""
	}
	return strings.ToUpper(scheme[:min(len(scheme), 4)])
}

// gopherMarker returns the marker of an item type (RFC 1436 section 3.8, and the types in use).
func gopherMarker(item byte) string {
	switch item {
	case '0':
		return "TXT"
	case '1':
		return "DIR"
	case '2':
		return "CSO"
	case '3':
		return "ERR"
	case '4', '5', '6', '9':
		return "BIN"
	case '7':
		return "FIND"
	case 'g', 'I', 'p', ':':
		return "IMG"
	case 'h':
		return "HTML"
	case 's', '<':
		return "SND"
	case ';':
		return "FILM"
	case 'd', 'P':
		return "PDF"
	}
	return "?"
}

// searchForm shows a search as a form.
func (p *page) searchForm(e fetch.Entry) {
	p.in("", "")
	p.put("<form class=\"search\" role=\"search\" action=\"%s\"><input type=\"hidden\" name=\"uri\" value=\"%s\"><label>%s"+
		" <input name=\"words\" type=\"search\" required></label> <button>Search</button></form>\n",
		p.o.Search, Absolute(e.URI.WithoutPassword()), title(e))
}
