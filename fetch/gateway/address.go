package gateway

import (
	"net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// Path returns the path, with its query, under which a Gateway shows u: /SCHEME/HOST/... for SCHEME://HOST/..., and /SCHEME:... for a URI
// without a host. A URI that a browser would change (dot segments, quotes) is escaped as a whole, so that every URI is preserved, except
// for its password and fragment.
func Path(u uri.URI) string { return path("", u) }

// RawPath returns the path under which a Gateway returns the bytes of u, even if Path is a page about them.
func RawPath(u uri.URI) string { return path(ownPath+"raw", u) }

func path(prefix string, u uri.URI) string {
	s := render.Absolute(u.WithoutFragment().WithoutPassword())
	if !isBrowserSafe(s) {
		if prefix == "" {
			prefix = ownPath + "uri"
		}
		return prefix + "?" + uri.EscapeBut(s, "-._~/:")
	}
	scheme, rest, _ := strings.Cut(s, ":")
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		return prefix + "/" + scheme + "/" + after
	}
	return prefix + "/" + s
}

// isBrowserSafe reports whether a browser leaves s unchanged in a path and query (URL Standard, sections 4.4 and 1.3).
func isBrowserSafe(s string) bool {
	path, query, _ := strings.Cut(s, "?")
	if strings.ContainsAny(query, `'"<>`) || strings.ContainsAny(path, "\"<>`{}^\\") {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return false
		}
	}
	return true
}

// query returns the query of a request with its question mark, or "".
func query(r *http.Request) string {
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		return "?" + r.URL.RawQuery
	}
	return ""
}

// target is the inverse of Path.
func (g *Gateway) target(path string) (uri.URI, error) {
	scheme, rest, mark := path[1:], "", byte(0)
	if i := strings.IndexAny(scheme, "/:?"); i >= 0 {
		scheme, rest, mark = scheme[:i], scheme[i+1:], scheme[i]
	}
	_, known := g.client.Schemes.Lookup(scheme)
	switch {
	case known && mark == '/':
		return parse(scheme + "://" + rest)
	case known && mark == ':':
		return parse(scheme + ":" + rest)
	case g.cfg.Scheme != "":
		return parse(g.cfg.Scheme + "://" + path[1:])
	}
	return uri.URI{}, fetch.Errorf(fetch.ErrNotFound, "no handler for the scheme %q", scheme)
}

func parse(s string) (uri.URI, error) {
	u, err := uri.Parse(s)
	if err != nil {
		return u, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	return u, nil
}

// at serves the URI of a path, with the request's query, or the one that is the whole escaped query if the path is empty.
func (g *Gateway) at(w http.ResponseWriter, r *http.Request, rest string, serve handler) {
	var u uri.URI
	var err error
	if rest == "" {
		u, err = parse(uri.Escaped(r.URL.RawQuery).Decode())
	} else {
		u, err = g.target("/" + rest + query(r))
	}
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	serve(w, r, u)
}
