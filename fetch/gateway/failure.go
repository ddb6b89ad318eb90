package gateway

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// failure is the page that says why u could not be had.
func (g *Gateway) failure(w http.ResponseWriter, r *http.Request, u uri.URI, err error) {
	g.failurePage(w, r, u, err, nil)
}

func (g *Gateway) failurePage(w http.ResponseWriter, r *http.Request, u uri.URI, err error, c *conversation) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody is there to be told
	}
	status := httpbridge.Status(fetch.KindOf(err))
	search := isWanting(err) && g.allowed(u.Scheme()) == nil && g.takesWords(u)
	if search {
		status = http.StatusOK
	}
	if p := r.URL.EscapedPath(); status == http.StatusUnauthorized && r.URL.Scheme == "" && strings.Count(p, "/") == 2 && u.Path() == "" && query(r) == "" {
		http.Redirect(w, r, p+"/", http.StatusSeeOther) // where a login may be asked for
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
		p.put("<p>", render.EscapeHTML(e.Hint), "</p>\n")
	}
	if c != nil {
		p.how(g.plan(u, nil), c)
	} else {
		p.put("</main>\n")
	}
	p.end()
}

// isWanting reports whether an error may come of words that were not given.
func isWanting(err error) bool {
	k := fetch.KindOf(err)
	return k == fetch.ErrRefusedURL || k == fetch.ErrUnsupported || k == fetch.ErrInteractive
}

// askLogin asks the browser for a login, if it may be asked here.
func (g *Gateway) askLogin(w http.ResponseWriter, r *http.Request, u uri.URI, status int) {
	if status == http.StatusUnauthorized && mayLogin(r) {
		w.Header().Set("WWW-Authenticate", "Basic realm="+strconv.Quote(u.Scheme()+" "+u.Hostname())+", charset=\"UTF-8\"")
	}
}

// mayLogin reports whether a login goes to no other server than the one that it was given for. A browser sends it with every request below
// the folder of the path where it was asked (RFC 7617 section 2.2), so that folder must have scheme and host in it.
func mayLogin(r *http.Request) bool {
	if r.URL.Scheme != "" {
		return true
	}
	p := r.URL.EscapedPath()
	if rest, ok := strings.CutPrefix(p, ownPath+"raw"); ok {
		p = rest
	} else if rest, ok := strings.CutPrefix(p, ownPath+"part/"); ok {
		p = strings.TrimLeft(rest, "0123456789")
	}
	return !strings.HasPrefix(p, ownPath) && strings.Count(p, "/") >= 3
}

// fail is a plain answer to what is no request for an object.
func (g *Gateway) fail(w http.ResponseWriter, r *http.Request, status int, why string) {
	guardHeader(w.Header())
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", "GET, HEAD")
	}
	http.Error(w, why, status)
}
