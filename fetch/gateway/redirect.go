package gateway

import (
	"net/http"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// redirect handles a proxy request for a document that redirects. It returns false if d does not. A proxy that followed redirects itself
// would return another origin's content under the name of the first origin, and break relative links.
func (g *Gateway) redirect(w http.ResponseWriter, r *http.Request, u uri.URI, d *fetch.Document) bool {
	isHTTP := d.URI.Scheme() == "http" || d.URI.Scheme() == "https"
	switch {
	case len(d.Referrals) == 0 || isHTTP && d.Status == http.StatusOK: // a page with Refresh is passed on with that field
		return false
	case isHTTP && d.Status >= 300 && d.Status < 400:
		g.unchanged(w, r, d)
		return true
	}
	defer d.Body.Close()
	var first error
	for _, to := range d.Referrals {
		err := g.client.CheckReferral(u, to)
		if err == nil {
			err = g.allowed(to.URI.Scheme())
		}
		if err == nil {
			http.Redirect(w, r, location(to), http.StatusFound)
			return true
		}
		if first == nil {
			first = err
		}
	}
	note(r).kind = fetch.KindOf(first)
	g.failure(w, r, u, first)
	return true
}

// location returns the target of a referral. The password of a configured referral is not sent to clients.
func location(to fetch.Referral) string {
	if to.Own {
		return to.URI.WithoutPassword().String()
	}
	return to.URI.String()
}

// unchanged passes an http response on, except for the fields about its connection (RFC 9110 section 7.6.1).
func (g *Gateway) unchanged(w http.ResponseWriter, r *http.Request, d *fetch.Document) {
	h := w.Header()
	for name, values := range d.Header {
		switch http.CanonicalHeaderKey(name) {
		case "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
			"Content-Length":
		default:
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // net/http guesses one otherwise
	}
	if d.Size >= 0 {
		h.Set("Content-Length", strconv.FormatInt(d.Size, 10))
	}
	body := d.Body
	if r.Method == http.MethodHead {
		d.Body.Close()
		body = http.NoBody
	}
	g.stream(w, r, &http.Response{StatusCode: d.Status, Body: body})
}
