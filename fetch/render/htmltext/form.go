package htmltext

import (
	"strings"

	"golang.org/x/net/html/atom"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A form holds the properties by which a search is recognized: a FORM sent by GET with one text field and no other visible control.
type form struct {
	action uri.URI
	hidden []byte // hidden fields: "lang=en&"
	name   string // of the field
	title  string
	fields int
	odd    bool // it has a control that a search does not have
}

// hiddenMax bounds the hidden fields. No server accepts longer URIs.
const hiddenMax = 8 << 10

// openForm begins a form. A form within another is ignored (HTML Standard section 13.2.6.4.7).
func (l *linker) openForm(t tag) {
	if l.form != nil {
		return
	}
	l.form = &form{action: l.base.Base, odd: t.method != "" && !strings.EqualFold(t.method, "get")}
	if t.hasAction {
		u, err := l.base.Resolve(t.action)
		l.form.action, l.form.odd = u, l.form.odd || err != nil
	}
}

// control handles a control of the open form.
func (f *form) control(t tag) {
	switch {
	case f == nil:
	case t.name != atom.Input && t.name != atom.Button:
		f.odd = true // TEXTAREA, SELECT
	case t.kind == "hidden":
		if t.field != "" && len(f.hidden) < hiddenMax {
			f.hidden = append(f.hidden, pair(t.field, t.value)+"&"...)
		}
	case t.kind == "submit", t.kind == "button", t.kind == "reset", t.kind == "image", t.name == atom.Button:
		if f.title == "" {
			f.title = t.value
		}
	case t.kind == "checkbox", t.kind == "radio", t.kind == "file", t.kind == "password":
		f.odd = true
	default:
		f.fields++
		f.name = t.field
	}
}

func pair(name, value string) string {
	return string(uri.SearchWords.Escape(uri.RFC3986, name)) + "=" + string(uri.SearchWords.Escape(uri.RFC3986, value))
}

// closeForm ends the form. If it is a search, it links to a URI with one empty field, for the words. A field named "isindex" is sent without its
// name (HTML Standard section 4.10.21.4).
func (l *linker) closeForm() (link, bool) {
	f := l.form
	l.form = nil
	if f == nil || f.odd || f.fields != 1 || f.name == "" || len(f.hidden) >= hiddenMax {
		return link{}, false
	}
	query := string(f.hidden) + pair(f.name, "")
	if f.name == "isindex" && len(f.hidden) == 0 {
		query = ""
	}
	return l.searchable(f.action, "?"+query, f.title)
}

// isindex links to the search of the page: its URI with words (RFC 1866 section 5.2.3), or the URI of ACTION or HREF (Netscape 2, HTML 3.0).
func (l *linker) isindex(t tag) (link, bool) {
	u := l.base.Base
	for _, ref := range []string{t.href, t.action} {
		if v, err := l.base.Resolve(ref); err == nil && ref != "" {
			u = v
		}
	}
	return l.searchable(u, "", t.prompt)
}

func (l *linker) searchable(u uri.URI, query, title string) (link, bool) {
	bare, _, _ := strings.Cut(u.WithoutFragment().String(), "?")
	u, err := uri.Parse(bare + query)
	if err != nil {
		return link{}, false
	}
	if title = strings.TrimSpace(title); title == "" {
		title = "Search"
	}
	l.n++
	return link{u, fetch.KindSearch, title}, true
}
