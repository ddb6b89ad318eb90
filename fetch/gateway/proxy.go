package gateway

import (
	"maps"
	"net/http"
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/render"
)

// proxy handles a request for an absolute URI. Objects are returned unchanged; directories and menus, which HTTP clients cannot read, as
// HTML with the URIs of the objects.
func (g *Gateway) proxy(w http.ResponseWriter, r *http.Request) {
	note(r).form = "proxy"
	u, err := parse(r.RequestURI)
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	d, ok := g.fetchObject(w, r, u, true)
	if !ok || g.redirect(w, r, u, d) {
		return
	}
	if render.IsListed(d) && !d.NotModified {
		g.listing(w, r, d)
		return
	}
	if !g.begins(w, r, d, nil) {
		return
	}
	resp := httpbridge.Answer(r, d)
	own := w.Header().Clone()
	maps.Copy(w.Header(), resp.Header)
	keepMemento(w.Header(), own)
	g.stream(w, r, resp)
}

// keepMemento keeps the gateway's fields about a capture, which the captured ones have replaced: the time is that of this capture, and a
// client needs the links of both (RFC 7089 section 2).
func keepMemento(h, own http.Header) {
	if at := own.Get("Memento-Datetime"); at != "" {
		h.Set("Memento-Datetime", at)
	}
	for _, name := range []string{"Link", "Vary"} {
		for _, value := range own[name] {
			if !slices.Contains(h[name], value) {
				h.Add(name, value)
			}
		}
	}
}

// listing writes a listing for a client of the proxy.
func (g *Gateway) listing(w http.ResponseWriter, r *http.Request, d *fetch.Document) {
	defer d.Body.Close()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src '"+styleHash()+"'; base-uri 'none'")
	guardHeader(h)
	if r.Method == http.MethodHead {
		return
	}
	if err := render.View(&page{w: w, g: g}, d, render.HTML, nil); err != nil {
		abort(r, err)
	}
}
