package scope

import (
	"cmp"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Scope decides by the text of a URI whether a crawl reads it, so all processes of a crawl decide alike. Functions that are nil allow everything.
type Scope struct {
	Depth   int                                              // steps from a root; negative is any number
	Length  int                                              // bytes of a URI; 0 is LongestURI
	Scheme  func(u uri.URI) bool                             // whether URIs of its scheme are read
	Server  func(u uri.URI) bool                             // whether its server is one to read from
	Below   func(u uri.URI) bool                             // whether it is below a root, or on another server
	Place   func(u uri.URI) (segments []string, path string) // its directories, and its path for patterns; nil stands for those of the whole URI
	Include Patterns                                         // what is read; nil is everything
	Exclude Patterns                                         // documents and directories that are not read
}

// Reasons why a URI is not read, for reports.
const (
	TooLong     = "the URI is too long"
	TooDeep     = "too many steps from the root"
	OtherScheme = "its scheme is not followed"
	Elsewhere   = "on another server"
	Above       = "not below the directory of the root"
	Repeating   = "path segments repeat: a loop or a trap"
	Excluded    = "excluded"
	NotIncluded = "not included"
	ByRobots    = "forbidden by the server's robots.txt"
)

// WhyNot returns why u, a number of steps from a root, is not read, or "" if it is.
func (s *Scope) WhyNot(u uri.URI, depth int) string {
	place := s.Place
	if place == nil {
		place = placeOf
	}
	allowed := func(f func(uri.URI) bool) bool { return f == nil || f(u) }
	segments, path := place(u)
	switch {
	case len(u.String()) > cmp.Or(s.Length, LongestURI):
		return TooLong
	case s.Depth >= 0 && depth > s.Depth:
		return TooDeep
	case !allowed(s.Scheme):
		return OtherScheme
	case !allowed(s.Server):
		return Elsewhere
	case !allowed(s.Below):
		return Above
	case IsTrap(segments):
		return Repeating
	case s.Exclude.MatchWithin(u, path):
		return Excluded
	case len(s.Include) > 0 && !s.Include.Match(u, path):
		return NotIncluded
	}
	return ""
}

func placeOf(u uri.URI) (segments []string, path string) {
	return strings.Split(strings.Trim(string(u.Path()), "/"), "/"), strings.Trim(u.Path().Decode(), "/")
}

// Sites returns the Scope of the sites of some roots, to any depth: their hosts, or those that match a pattern, by their schemes with or without TLS, or
// by those of a list. Without a pattern and with below, it is only what is below the directories of the roots. URIs without a host always are.
func Sites(roots []uri.URI, hosts Patterns, schemes []string, below bool) *Scope {
	ofRoots := func(f func(root, u uri.URI) bool) func(uri.URI) bool {
		return func(u uri.URI) bool { return slices.ContainsFunc(roots, func(root uri.URI) bool { return f(root, u) }) }
	}
	s := &Scope{Depth: -1}
	s.Scheme = ofRoots(func(root, u uri.URI) bool { return plain(root.Scheme()) == plain(u.Scheme()) })
	if schemes != nil {
		s.Scheme = func(u uri.URI) bool { return slices.Contains(schemes, u.Scheme()) }
	}
	onServer := ofRoots(isSameSite)
	s.Server = func(u uri.URI) bool {
		if u.Host() != "" && hosts != nil {
			return hosts.MatchHost(u)
		}
		return onServer(u)
	}
	if below && hosts == nil {
		s.Below = ofRoots(func(root, u uri.URI) bool { return isSameSite(root, u) && isBelow(root, u) })
	}
	return s
}

// isSameSite reports whether two URIs, which are canonical, have the same host, and either the same port or a port each for TLS and for the same protocol
// without it. URIs without a host have the same site if one is below the directory of the other.
func isSameSite(root, u uri.URI) bool {
	if u.Host() == "" {
		text := root.String()
		return root.Host() == "" && strings.HasPrefix(u.String(), text[:strings.LastIndexByte(text, '/')+1])
	}
	otherTLS := u.Scheme() != root.Scheme() && (plain(u.Scheme()) != u.Scheme() || plain(root.Scheme()) != root.Scheme())
	return strings.EqualFold(u.Hostname(), root.Hostname()) && (u.Port() == root.Port() || otherTLS)
}

// isBelow reports whether the path of u begins with the directories of root. A gopher menu is a directory, and item types are not part of the path.
func isBelow(root, u uri.URI) bool {
	top, path := string(root.Path()), string(u.Path())
	if plain(root.Scheme()) == "gopher" {
		if top = gopherSelector(top); strings.HasPrefix(string(root.Path()), "/1") && !strings.HasSuffix(top, "/") {
			top += "/"
		}
		path = gopherSelector(path) + "/"
	}
	return strings.HasPrefix(path, top[:strings.LastIndexByte(top, '/')+1])
}

// gopherSelector returns the selector of a path with an item type, with a slash at its beginning.
func gopherSelector(path string) string {
	if len(path) < 2 {
		return "/"
	}
	return "/" + strings.TrimPrefix(path[2:], "/")
}

// plain returns the scheme without TLS.
func plain(scheme string) string {
	switch scheme {
	case "https", "gophers", "ftps":
		return strings.TrimSuffix(scheme, "s")
	case "ftpes":
		return "ftp"
	}
	return scheme
}

// IsRetrieved reports whether the scheme of u retrieves documents, and u sends nothing that only the user may send.
func IsRetrieved(schemes fetch.Registry, u uri.URI) bool {
	s, ok := schemes.Lookup(u.Scheme())
	return ok && s.Does.Retrieves && !s.Does.Session && (s.UserOnly == nil || !s.UserOnly(u))
}

// Canonical returns the form in which the URIs of a crawl are compared and recorded.
func Canonical(schemes fetch.Registry, u uri.URI) uri.URI {
	u = u.WithoutFragment().ASCII()
	s, ok := schemes.Lookup(u.Scheme())
	if !ok {
		return u.Normalize()
	}
	return uri.RFC3986Scheme.Normalize(gopherTop(u), &s.Rules)
}

// gopherTop returns one URI for all names of a server's first menu. QUIRK: by RFC 1436 its selector is empty; real menus send "/", which
// all servers treat as the same.
func gopherTop(u uri.URI) uri.URI {
	_, search := u.Query()
	if plain(u.Scheme()) != "gopher" || search || !slices.Contains([]string{"/1", "/1/"}, string(u.Path())) {
		return u
	}
	return u.Resolve(uri.MustParse("/"))
}
