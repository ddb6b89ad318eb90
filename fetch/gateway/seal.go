package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
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
func (g *Gateway) opened(r *http.Request) (kind, path string, ok bool) {
	p := r.URL.EscapedPath() + query(r)
	for _, kind := range [...]string{toPath, imagePath} {
		rest, found := strings.CutPrefix(p, kind)
		if i := strings.IndexByte(rest, '/'); found && i >= 0 {
			return kind, rest[i:], hmac.Equal([]byte(rest[:i]), []byte(g.seal(kind, rest[i:])))
		}
	}
	return "", "", false
}

// isOwnLink reports whether the gateway made the link that is followed.
func (g *Gateway) isOwnLink(r *http.Request) bool {
	_, _, ok := g.opened(r)
	return ok
}

// followLink handles a link of a foreign page. It redirects by a page of the gateway, so that the target is opened from there.
func (g *Gateway) followLink(w http.ResponseWriter, r *http.Request) {
	_, path, ok := g.opened(r)
	if !ok {
		g.fail(w, r, http.StatusNotFound, "this link has expired")
		return
	}
	w.Header().Set("Refresh", "0; url="+path)
	g.linkPage(w, r, http.StatusOK, "Redirecting", path)
}

// confirm asks the user whether to follow a link of another site.
func (g *Gateway) confirm(w http.ResponseWriter, r *http.Request) {
	g.linkPage(w, r, http.StatusForbidden, "A page of another site links here", r.URL.EscapedPath()+query(r))
}

// linkPage writes a page with one link.
func (g *Gateway) linkPage(w http.ResponseWriter, r *http.Request, status int, title, path string) {
	g.framed(w, r, frame{status: status, title: title}, func(p *page) {
		p.put("<p>Go on to <a href=\"", render.EscapeHTML(path), "\">", render.EscapeHTML(path), "</a></p>\n")
	})
}

// image serves an image to a foreign page that contains it.
func (g *Gateway) image(w http.ResponseWriter, r *http.Request) {
	_, path, ok := g.opened(r)
	if !ok {
		g.fail(w, r, http.StatusNotFound, "this image link has expired")
		return
	}
	path, r, _ = g.cutTime(r, path)
	path, query, found := strings.Cut(path, "?")
	if found {
		query = "?" + query
	}
	u, err := g.target(path, query)
	if err == nil {
		g.raw(crossing{w}, r, u)
		return
	}
	g.failure(w, r, u, err)
}

// crossing is a response that a foreign page may embed.
type crossing struct{ http.ResponseWriter }

func (c crossing) WriteHeader(status int) {
	c.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap supports http.ResponseController.
func (c crossing) Unwrap() http.ResponseWriter { return c.ResponseWriter }
