package gateway

import (
	"errors"
	"net/http"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// failure writes a page that explains why u could not be fetched.
func (g *Gateway) failure(w http.ResponseWriter, r *http.Request, u uri.URI, err error) {
	g.failurePage(w, r, u, err, nil)
}

func (g *Gateway) failurePage(w http.ResponseWriter, r *http.Request, u uri.URI, err error, c *transcript) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	status := httpbridge.Status(fetch.KindOf(err))
	search := isWanting(err) && g.allowed(u.Scheme()) == nil && g.takesWords(u)
	if search {
		status = http.StatusOK
	}
	if to, ok := g.whereToLogin(r, u); ok && status == http.StatusUnauthorized {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	g.askLogin(w, r, u, status)
	heading := http.StatusText(status)
	if search {
		heading = g.client.Schemes.Redact(u)
	}
	p := g.begin(w, r, status, u, heading)
	if r.Method == http.MethodHead {
		return
	}
	if search {
		p.searchField(u, nil)
	}
	p.put("<p role=\"alert\"><strong>", render.EscapeHTML(string(fetch.KindOf(err))), "</strong>: ", render.EscapeHTML(err.Error()), "</p>\n")
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Hint != "" {
		hint := e.Hint
		if g.cfg.Hint != nil {
			hint = g.cfg.Hint(hint)
		}
		p.put("<p>", render.EscapeHTML(hint), "</p>\n")
	}
	if c != nil {
		p.transcriptSection(g.plan(u, nil), c)
	} else {
		p.put("</main>\n")
	}
	p.end()
}

// isWanting reports whether an error may be due to missing search words.
func isWanting(err error) bool {
	k := fetch.KindOf(err)
	return k == fetch.ErrRefusedURL || k == fetch.ErrUnsupported || k == fetch.ErrInteractive
}

// fail writes a plain error for a request that is not for an object.
func (g *Gateway) fail(w http.ResponseWriter, r *http.Request, status int, why string) {
	guardHeader(w.Header())
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", "GET, HEAD")
	}
	http.Error(w, why, status)
}
