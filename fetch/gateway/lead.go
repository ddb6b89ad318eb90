package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// What a foreign page within a frame asks for looks to the gateway as if it came from another site, which it does. So the links and
// images that the gateway has made for it carry a seal, and nobody else's do.

// to and image begin the sealed paths of a link and an image.
const (
	toPath    = ownPath + "to/"
	imagePath = ownPath + "image/"
)

// seal is what only this gateway can say of a path.
func (g *Gateway) seal(kind, path string) string {
	h := hmac.New(sha256.New, g.key[:])
	h.Write([]byte(kind + path))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// sealed is a path with its seal.
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

// isOwnLink reports whether the gateway has made the link that is followed.
func (g *Gateway) isOwnLink(r *http.Request) bool {
	_, _, ok := g.opened(r)
	return ok
}

// to answers a link of a foreign page by leading on to where it leads: from there on the reader is at the gateway's own pages.
func (g *Gateway) to(w http.ResponseWriter, r *http.Request) {
	_, path, ok := g.opened(r)
	if !ok {
		g.fail(w, r, http.StatusNotFound, "this link is of another time")
		return
	}
	w.Header().Set("Refresh", "0; url="+path)
	g.leave(w, r, http.StatusOK, "On the way", path)
}

// ask asks the reader whether to go where a page of another site leads.
func (g *Gateway) ask(w http.ResponseWriter, r *http.Request) {
	g.leave(w, r, http.StatusForbidden, "A page of another site leads here", r.URL.EscapedPath()+query(r))
}

// leave is a page with one link.
func (g *Gateway) leave(w http.ResponseWriter, r *http.Request, status int, title, path string) {
	p := g.begin(w, r, status, uri.URI{}, title)
	if r.Method == http.MethodHead {
		return
	}
	p.put("<p>Go on to <a href=\"", render.EscapeHTML(path), "\">", render.EscapeHTML(path), "</a></p>\n</main>\n")
	p.end()
}

// image answers with an image of a foreign page, to that page.
func (g *Gateway) image(w http.ResponseWriter, r *http.Request) {
	_, path, ok := g.opened(r)
	if !ok {
		g.fail(w, r, http.StatusNotFound, "this image is of another time")
		return
	}
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

// crossing is an answer that a foreign page may have.
type crossing struct{ http.ResponseWriter }

func (c crossing) WriteHeader(status int) {
	c.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (c crossing) Unwrap() http.ResponseWriter { return c.ResponseWriter }
