package gateway

import (
	"net/http"
	"net/url"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// search handles the search field of a page: the object and the words.
func (g *Gateway) search(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	u, err := parse(q.Get("uri"))
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	o := g.plainOptions(r)
	o.Search = strings.Fields(q.Get("words"))
	href := func(spec string) string {
		return ownPath + "search?uri=" + url.QueryEscape(q.Get("uri")) + "&words=" + url.QueryEscape(q.Get("words")) + "&at=" + url.QueryEscape(spec)
	}
	g.page(w, r, view{object: u, options: o, listing: parseListing(q.Get("at")), href: href})
}

// isSearch reports whether u is searchable by itself: its Plan requires words, or lists without words.
func (g *Gateway) isSearch(u uri.URI) bool {
	p := g.plan(u, nil)
	if p != nil && (p.Shape == fetch.ShapeDocument || p.Shape == fetch.ShapeMessage) && p.Type != "application/x-wais-source" {
		return false
	}
	return g.takesWords(u)
}

// takesWords reports whether u can be searched, as any http page may be.
func (g *Gateway) takesWords(u uri.URI) bool {
	p := g.plan(u, &fetch.Options{Search: []string{"words"}})
	return p != nil && p.Shape == fetch.ShapeSearch
}

// searchField writes the search form, or the form for the answer to a server's question.
func (p *page) searchField(u uri.URI, words []string, question string) {
	label, button := "Search for", "Search"
	if question != "" {
		label, button = question, "Send"
	}
	p.put("<form class=\"search\" role=\"search\" action=\"%s/-/search\"><input type=\"hidden\" name=\"uri\" value=\"%s\">"+
		"<label for=\"words\">%s <input id=\"words\" name=\"words\" type=\"search\" required value=\"%s\"></label> <button>%s</button></form>\n",
		p.at, render.Absolute(searched(u).WithoutPassword()), label, strings.Join(words, " "), button)
}

// wordsOf returns the words that were searched for: those of the field, or those in a wais URI.
func wordsOf(u uri.URI, o *fetch.Options) []string {
	if q, ok := u.Query(); ok && len(o.Search) == 0 && u.Scheme() == "wais" {
		return strings.Fields(uri.Escaped(strings.ReplaceAll(string(q), "+", " ")).Decode())
	}
	return o.Search
}

// searched returns the object of a search. A wais URI may already contain words, which would be added to.
func searched(u uri.URI) uri.URI {
	s, _, ok := strings.Cut(u.WithoutFragment().String(), "?")
	if bare, err := uri.Parse(s); ok && err == nil && u.Scheme() == "wais" {
		return bare
	}
	return u
}
