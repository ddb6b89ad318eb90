package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"example.org/deref/fetch/render"
)

// Requests of a foreign page within a frame look like requests of another site. So the links and images that the gateway has written into
// the page carry a seal that no other site can make.

// toPath and imagePath start the sealed paths of a link and an image.
const (
	toPath    = ownPath + "to/"
	imagePath = ownPath + "image/"
)

// seal returns a code for a path that only this gateway can make.
func (g *Gateway) seal(kind, path string) string {
	h := hmac.New(sha256.New, g.key[:])
	h.Write([]byte(kind + path))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// sealed returns a path with its seal.
func (g *Gateway) sealed(kind, path string) string { return kind + g.seal(kind, path) + path }

// opened returns the path within a sealed one, with its query.
func (g *Gateway) opened(r *http.Request) (path string, ok bool) {
	p := r.URL.EscapedPath() + query(r)
	for _, kind := range [...]string{toPath, imagePath} {
		rest, found := strings.CutPrefix(p, kind)
		if i := strings.IndexByte(rest, '/'); found && i >= 0 {
			return rest[i:], hmac.Equal([]byte(rest[:i]), []byte(g.seal(kind, rest[i:])))
		}
	}
	return "", false
}

// isOwnLink reports whether the gateway made the link that is followed.
func (g *Gateway) isOwnLink(r *http.Request) bool {
	_, ok := g.opened(r)
	return ok
}

// followLink handles a link of a foreign page. It redirects by a page of the gateway, so that the target is opened from there.
func (g *Gateway) followLink(w http.ResponseWriter, r *http.Request) {
	path, ok := g.opened(r)
	if !ok {
		g.fail(w, http.StatusNotFound, "this link has expired")
		return
	}
	w.Header().Set("Refresh", "0; url="+path)
	g.linkPage(w, r, http.StatusOK, "Redirecting", path, "")
}

// goesOn is the cookie of a browser whose user has gone on from the page of confirm.
const goesOn = "deref-goes-on"

// confirm asks the user whether to follow a link that may be of another site. Without Sec-Fetch-Site, an address that the user has typed looks the
// same. So the page goes on by itself if the request has the cookie, which browsers do not send for links of other sites. An image, a script or a frame
// never goes on, of whatever site it is, because only a page in a tab can.
func (g *Gateway) confirm(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath() + query(r)
	if strings.HasPrefix(path, "//") {
		path = "/." + path // otherwise the next segment would be a host
	}
	if _, err := r.Cookie(goesOn); err == nil && r.Referer() == "" && r.Header.Get("Sec-Fetch-Site") == "" {
		w.Header().Set("Refresh", "0; url="+path)
	}
	g.linkPage(w, r, http.StatusForbidden, "Open this address?", path, "<p>A page of another site may have led here, so nothing was fetched yet. "+
		"A program says that none has by <code>Sec-Fetch-Site: none</code>.</p>\n")
}

// letGoOn sets the cookie if the user has gone on from the page of confirm, whose address is the one that it links to. A browser that sends no
// Referer never gets the cookie: it would go on to the same page forever.
func letGoOn(w http.ResponseWriter, r *http.Request) {
	from, err := url.Parse(r.Referer())
	if err == nil && hasOwnReferer(r) && from.RequestURI() == r.URL.RequestURI() && r.Header.Get("Sec-Fetch-Site") == "" {
		http.SetCookie(w, &http.Cookie{Name: goesOn, Value: "1", Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
}

// linkPage writes a page with one link, after other paragraphs.
func (g *Gateway) linkPage(w http.ResponseWriter, r *http.Request, status int, title, path string, before render.Markup) {
	g.framed(w, r, frame{status: status, title: title}, func(p *page) {
		p.put("%s<p>Go on to <a href=\"%s\">%[2]s</a></p>\n", before, path)
	})
}

// image serves an image to a foreign page that contains it.
func (g *Gateway) image(w http.ResponseWriter, r *http.Request) {
	path, ok := g.opened(r)
	if !ok {
		g.fail(w, http.StatusNotFound, "this image link has expired")
		return
	}
	path, r, _ = g.cutTime(r, path)
	path, _, _ = strings.Cut(path, "?") // the query is that of the request
	if path == ownPath+"uri" {
		path = "/"
	}
	note(r).crosses = true
	g.at(w, r, path[1:], g.raw)
}
