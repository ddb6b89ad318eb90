package render

import (
	"fmt"
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
	p.b.WriteString(p.menuLine(e))
}

// menuLine returns a line. Its end is within the block that the style sheet makes of it, so that it is not counted twice.
func (p *page) menuLine(e fetch.Entry) string {
	s := "<span class=\"l\">"
	switch {
	case e.URI.IsZero() && e.Attr["item"] != nil:
		s += "<span class=\"k bad\"> ERR</span> " + EscapeHTML(title(e))
	case e.URI.IsZero():
		s += "<span class=\"k\">    </span> " + p.linkedText(title(e))
	case p.form(e) != "":
		s += "<span class=\"k\">FORM</span> <a href=\"" + EscapeHTML(p.form(e)) + "\">" + EscapeHTML(title(e)) + "</a>"
	default:
		s += fmt.Sprintf("<span class=\"k\">%4s</span> ", marker(e)) + p.link(e)
	}
	return s + "\n</span>"
}

// form returns the reference of the form that an item asks to be filled in, or "".
func (p *page) form(e fetch.Entry) string {
	if len(e.Attr["ask"]) == 0 || p.o.Form == nil {
		return ""
	}
	return p.o.Form(e.URI)
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
	p.b.WriteString("<form class=\"search\" role=\"search\" action=\"" + EscapeHTML(p.o.Search) + "\"><input type=\"hidden\" name=\"uri\" value=\"" +
		EscapeHTML(Absolute(e.URI.WithoutPassword())) + "\"><label>" + EscapeHTML(title(e)) +
		" <input name=\"words\" type=\"search\" required></label> <button>Search</button></form>\n")
}
