package gateway

import (
	"net/http"
	"strconv"
	"strings"

	"example.org/deref/uri"
)

// Every upstream origin is a protection space of its own (RFC 7617 section 2), although a browser sees only the gateway's origin. Two
// measures keep them apart. A browser sends a login unasked to paths below the directory of the challenged path (RFC 7617 section 2.2), so
// that directory must name one scheme, host and port: logins are requested and accepted only on such paths. And a browser answers any
// other challenge of the same realm with the same login, so the realm is the upstream origin.

// askLogin requests a login from the browser, if that is allowed on this path.
func (g *Gateway) askLogin(w http.ResponseWriter, r *http.Request, u uri.URI, status int) {
	origin := g.client.Schemes.Origin(u)
	if status == http.StatusUnauthorized && origin != "" && g.mayLogin(r) {
		w.Header().Set("WWW-Authenticate", "Basic realm="+strconv.Quote(origin)+", charset=\"UTF-8\"")
	}
}

// mayLogin reports whether a login is sent only to the server that it was entered for. If the gateway is used as a proxy, the browser
// itself keeps servers apart. An archive contacts no server.
func (g *Gateway) mayLogin(r *http.Request) bool {
	return g.cfg.Archive == nil && (r.URL.Scheme != "" || g.isBelowServer(r.URL.EscapedPath()))
}

// isBelowServer reports whether the directory of a path names a server: /SCHEME/HOST:PORT/..., also for the bytes and parts of objects, and
// /HOST:PORT/... if the gateway has a default scheme.
func (g *Gateway) isBelowServer(path string) bool {
	if rest, ok := strings.CutPrefix(path, ownPath); ok {
		form, rest, _ := strings.Cut(rest, "/")
		switch form {
		case "raw", "conversation", "thread", "next", "previous":
			path = "/" + rest
		case "view", "part": // the next segment says which
			which, rest, _ := strings.Cut(rest, "/")
			if form == "view" || strings.Trim(which, "0123456789") == "" {
				path = "/" + rest
			}
		}
	}
	if strings.HasPrefix(path, ownPath) {
		return false
	}
	first, rest, ok := strings.Cut(path[1:], "/")
	if _, known := g.client.Schemes.Lookup(first); !known {
		return ok && first != "" && g.cfg.Scheme != "" && g.startsWithHost(first)
	}
	server, _, ok := strings.Cut(rest, "/")
	return ok && server != ""
}

// startsWithHost reports whether the first segment of a path is a host and not SCHEME:...
func (g *Gateway) startsWithHost(segment string) bool {
	scheme, _, _ := strings.Cut(segment, ":")
	_, known := g.client.Schemes.Lookup(scheme)
	return !known
}

// whereToLogin returns the path of u on which a login may be requested, if r is for a page of u on another path.
func (g *Gateway) whereToLogin(r *http.Request, u uri.URI) (path string, ok bool) {
	at := r.URL.EscapedPath()
	if r.URL.Scheme != "" || u.IsZero() || strings.HasPrefix(at, ownPath) || g.isBelowServer(at) {
		return "", false
	}
	return g.loginPath(u)
}

// loginPath returns the path at which the browser can be asked for a login for u.
func (g *Gateway) loginPath(u uri.URI) (path string, ok bool) {
	if g.client.Schemes.Origin(u) == "" {
		return "", false
	}
	path = Path(u)
	if _, asks := u.Query(); u.Path() == "" && !asks {
		path += "/"
	}
	return path, g.isBelowServer(path)
}
