package gateway

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

// partHref returns a function for the paths of a message's parts.
func (p *page) partHref(u uri.URI) func(n int) string {
	return func(n int) string { return p.at + path(ownPath+"part/"+strconv.Itoa(n), u) }
}

// part serves one part of the message u: "2/imap/...", or "2" with the URI as the query.
func (g *Gateway) part(w http.ResponseWriter, r *http.Request, p string) {
	number, rest, _ := strings.Cut(p, "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		g.fail(w, http.StatusNotFound, "the parts of a message are numbered from 1")
		return
	}
	g.at(w, r, rest, func(w http.ResponseWriter, r *http.Request, u uri.URI) { g.partOf(w, r, u, n) })
}

// partOf finds part number n of u. The message is fetched again, since the gateway stores nothing.
func (g *Gateway) partOf(w http.ResponseWriter, r *http.Request, u uri.URI, n int) {
	note(r).form = "part"
	d, c, ok := g.fetched(w, r, u, g.plainOptions(r))
	if !ok {
		return
	}
	defer d.Body.Close()
	for part, err := range mimemail.Parts(d.Body, maxNesting) {
		if err != nil {
			g.failurePage(w, r, u, nil, err, c)
			return
		}
		if part.Number == n {
			g.writePart(w, r, part)
			return
		}
	}
	g.failurePage(w, r, u, nil, fetch.Errorf(fetch.ErrNotFound, "the message has no part %d", n), c)
}

// maxNesting bounds the nesting of a message's parts.
const maxNesting = 50

// writePart writes a decoded part.
func (g *Gateway) writePart(w http.ResponseWriter, r *http.Request, part mimemail.Part) {
	foreignHeader(w.Header())
	w.Header().Set("Content-Type", part.Type)
	body := quiet(w.Header(), io.NopCloser(part.Body), charset.Source{Type: part.Type})
	if r.Method == http.MethodHead {
		return
	}
	if err := g.copyFlushed(w, body); err != nil {
		abort(r, err)
	}
}
