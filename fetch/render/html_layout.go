package render

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// A layout is the form of a listing: the columns of its table. The first has the name and the link.
type layout struct {
	caption string
	heads   []string                     // a head that ends in # is for numbers
	values  func(e fetch.Entry) []string // HTML, of the columns after the first
}

// layoutOf returns the layout of a listing whose first entry is e.
func layoutOf(e fetch.Entry) layout {
	switch {
	case e.Attr["score"] != nil:
		return layout{"Hits, best first", []string{"Title", "Score#", "Bytes#", "Type"}, func(e fetch.Entry) []string {
			return []string{first(e, "score"), size(e), kind(e)}
		}}
	case e.Kind == fetch.KindGroup:
		return layout{"Newsgroups", []string{"Group", "Articles#", "About"}, func(e fetch.Entry) []string {
			return []string{first(e, "articles"), first(e, "description")}
		}}
	case e.Attr["oid"] != nil:
		return layout{"Objects", []string{"Object", "Type", "Value"}, func(e fetch.Entry) []string {
			return []string{first(e, "type"), folded(charset.Text(strings.Join(e.Attr["value"], "\n")))}
		}}
	case e.Size >= 0 || !e.Modified.IsZero():
		return layout{"Entries", []string{"Name", "Bytes#", "Modified (UTC)", "Type"}, func(e fetch.Entry) []string {
			return []string{size(e), dateHTML(e), kind(e)}
		}}
	}
	return layout{"Entries", []string{"Name", "Type"}, func(e fetch.Entry) []string { return []string{kind(e)} }}
}

// open returns the beginning of the table.
func (l layout) open() string {
	s := "<table>\n<caption>" + l.caption + "</caption>\n<thead><tr>"
	for _, h := range l.heads {
		name, number := strings.CutSuffix(h, "#")
		s += "<th scope=\"col\"" + class(number) + ">" + name + "</th>"
	}
	return s + "</tr></thead>\n<tbody>\n"
}

func (l layout) width() string { return strconv.Itoa(len(l.heads)) }

// cells returns the cells of the row of e.
func (l layout) cells(p *page, e fetch.Entry) string {
	s := "<th scope=\"row\">" + p.link(e) + "</th>"
	for i, v := range l.values(e) {
		s += "<td" + class(strings.HasSuffix(l.heads[i+1], "#")) + ">" + v + "</td>"
	}
	return s
}

// class returns the class attribute of a cell.
func class(number bool) string {
	if number {
		return ` class="n"`
	}
	return ""
}

// first returns the first value of an attribute, escaped for HTML.
func first(e fetch.Entry, name string) string {
	if v := e.Attr[name]; len(v) > 0 {
		return EscapeHTML(charset.Text(v[0]))
	}
	return ""
}

// kind returns the kind of the entry's object in a word.
func kind(e fetch.Entry) string {
	if e.Kind == fetch.KindDir {
		return "directory"
	}
	if e.Type != "" && (e.Kind == fetch.KindFile || e.Kind == fetch.KindEntry) {
		kind, _ := mediaType(e.Type)
		return EscapeHTML(kind)
	}
	return EscapeHTML(string(e.Kind))
}
