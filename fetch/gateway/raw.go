package gateway

import (
	"net/http"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/uri"
)

// raw answers with the octets of u.
func (g *Gateway) raw(w http.ResponseWriter, r *http.Request, u uri.URI) {
	d, ok := g.object(w, r, u)
	if !ok {
		return
	}
	g.octets(w, r, d)
}

// object is what u is by the options of the request; where it cannot be had the request is answered with the reason.
func (g *Gateway) object(w http.ResponseWriter, r *http.Request, u uri.URI) (*fetch.Document, bool) {
	return g.by(w, r, u, false)
}

// first is object without following anything: a document that leads elsewhere is that.
func (g *Gateway) first(w http.ResponseWriter, r *http.Request, u uri.URI) (*fetch.Document, bool) {
	return g.by(w, r, u, true)
}

func (g *Gateway) by(w http.ResponseWriter, r *http.Request, u uri.URI, noFollow bool) (*fetch.Document, bool) {
	o, err := g.options(r)
	if err != nil {
		g.failure(w, r, u, err)
		return nil, false
	}
	o.NoFollow = noFollow
	d, err := g.get(r, u, o)
	if err != nil {
		g.failure(w, r, u, err)
		return nil, false
	}
	return d, true
}

// octets answers with d as it came: under our name, so in a sandbox without anything, and with what the origin says of its object, not of
// its site.
func (g *Gateway) octets(w http.ResponseWriter, r *http.Request, d *fetch.Document) {
	note(r).form = "octets"
	resp := httpbridge.Answer(r, d)
	h := w.Header()
	for _, name := range [...]string{"Content-Type", "Content-Location", "Content-Range", "Content-Language", "Content-Disposition", "Etag", "Last-Modified"} {
		if v := resp.Header.Get(name); v != "" {
			h.Set(name, v)
		}
	}
	if resp.ContentLength >= 0 {
		h.Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	}
	foreignHeader(h)
	g.stream(w, r, resp)
}

// foreignHeader keeps foreign octets under our name from doing anything.
func foreignHeader(h http.Header) {
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	guardHeader(h)
}
