package gateway

import (
	"fmt"
	"net/http"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/render"
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
			redirectTo(w, http.StatusFound, location(to))
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

// redirectTo redirects to a path of the gateway or a URI, without a change. http.Redirect would remove empty segments.
func redirectTo(w http.ResponseWriter, status int, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprint(w, render.HTMLf("<a href=\"%s\">%s</a>.\n", to, http.StatusText(status))) // RFC 9110 section 15.4.4
}

// location returns the target of a referral. The password of a configured referral is not sent to clients.
func location(to fetch.Referral) string {
	if to.Own {
		return render.Absolute(to.URI.WithoutPassword())
	}
	return render.Absolute(to.URI)
}

// unchanged passes an http response on.
func (g *Gateway) unchanged(w http.ResponseWriter, r *http.Request, d *fetch.Document) {
	h := w.Header()
	httpbridge.EndToEnd(h, d)
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
