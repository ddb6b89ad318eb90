package gateway

import (
	"net/http"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/uri"
)

// raw serves the bytes of u.
func (g *Gateway) raw(w http.ResponseWriter, r *http.Request, u uri.URI) {
	d, ok := g.object(w, r, u)
	if !ok {
		return
	}
	g.octets(w, r, d)
}

// object fetches u with the options of the request. If that fails it writes the error page.
func (g *Gateway) object(w http.ResponseWriter, r *http.Request, u uri.URI) (*fetch.Document, bool) {
	return g.fetchObject(w, r, u, false)
}

// first fetches u as object does, but does not follow redirects.
func (g *Gateway) first(w http.ResponseWriter, r *http.Request, u uri.URI) (*fetch.Document, bool) {
	return g.fetchObject(w, r, u, true)
}

func (g *Gateway) fetchObject(w http.ResponseWriter, r *http.Request, u uri.URI, noFollow bool) (*fetch.Document, bool) {
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

// octets serves d unchanged. Since it has the gateway's origin, it is in a sandbox without any rights, and gets only the origin's header
// fields about the object, not those about the site.
func (g *Gateway) octets(w http.ResponseWriter, r *http.Request, d *fetch.Document) {
	note(r).form = "octets"
	resp := httpbridge.Answer(r, d)
	h := w.Header()
	for _, name := range [...]string{"Content-Type", "Content-Location", "Content-Range", "Content-Language", "Content-Disposition", "Etag",
		"Last-Modified"} {
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

// foreignHeader puts foreign content with the gateway's origin into a sandbox.
func foreignHeader(h http.Header) {
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	guardHeader(h)
}
