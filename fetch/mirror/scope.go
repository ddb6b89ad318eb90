package mirror

import (
	"path"
	"slices"
	"strings"

	"example.org/deref/uri"
)

// Why a URI is left out; for reports.
const (
	outElsewhere  = "on another server"
	outAbove      = "not below the folder of the root"
	outExcluded   = "excluded"
	outIncluded   = "not included"
	outDeep       = "too many steps from the root"
	outLong       = "the URI is too long"
	outRepeating  = "its segments repeat: a loop or a trap"
	outFull       = "enough documents"
	outScheme     = "its scheme is not followed"
	outRobots     = "the server's robots.txt forbids it"
	outOld        = "too old"
	outLink       = "a link to a folder"
	outNothing    = "a link to what is not there"
	outNoCopy     = "a link to what has no copy"
	outTaken      = "a link whose name is taken by a folder"
	maxRepeats    = 3   // segments of a path that stand in it before
	maxFolders    = 100 // of a path
	maxLocalPath  = 800 // octets of a local path, of which some systems hold few
	defaultURI    = 2048
	defaultDepth  = 1000
	defaultNumber = 50_000_000
)

// canonical is the form in which URIs are compared and recorded.
func (m *mirror) canonical(u uri.URI) uri.URI {
	u = u.WithoutFragment()
	s, ok := m.client.Schemes.Lookup(u.Scheme())
	if !ok {
		return u.Normalize()
	}
	if top, ok := gopherTop(u); ok {
		return top
	}
	return uri.RFC3986Scheme.Normalize(u, &s.Rules)
}

// gopherTop makes one of the names that the first menu of a server has. QUIRK: by RFC 1436 its selector is void; real menus say "/", which
// all servers take for the same.
func gopherTop(u uri.URI) (uri.URI, bool) {
	_, search := u.Query()
	path := string(u.Path())
	if family(u.Scheme()) != "gopher" || search || path != "" && path != "/" && path != "/1" && path != "/1/" {
		return u, false
	}
	a, _ := u.Authority()
	top, err := uri.Parse(u.Scheme() + "://" + string(a) + "/")
	return top.Normalize(), err == nil
}

// key is the name of a URI in the manifest.
func key(u uri.URI) string { return u.WithoutPassword().String() }

// outside says why u, which is canonical and so many steps from the root, is left out; "" if it is not.
func (m *mirror) outside(u uri.URI, depth int) string {
	p := m.placeOf(u)
	switch {
	case len(u.String()) > m.options.URILength:
		return outLong
	case m.options.Depth >= 0 && depth > m.options.Depth:
		return outDeep
	case !m.follows(u):
		return outScheme
	case !m.options.SpanHosts && serverOf(u) != m.server:
		return outElsewhere
	case m.options.NoParent && len(p.folders) > 0 && p.folders[0] == elsewhere && serverOf(u) == m.server:
		return outAbove
	case len(p.folders) > maxFolders || repeats(p.folders):
		return outRepeating
	case excluded(m.options.Exclude, key(u), p):
		return outExcluded
	}
	return ""
}

// follows reports whether documents of the scheme are fetched over the network. What is on this machine is only where the root is.
func (m *mirror) follows(u uri.URI) bool {
	s, ok := m.client.Schemes.Lookup(u.Scheme())
	if !ok || !s.Does.Retrieves || s.Does.Session || s.UserOnly != nil && s.UserOnly(u) {
		return false
	}
	if family(u.Scheme()) == family(m.root.Scheme()) {
		return true
	}
	return !s.Local && u.Host() != ""
}

// excluded asks for each folder on the way too.
func excluded(list []Pattern, uri string, p place) bool {
	if len(list) == 0 {
		return false
	}
	for i := range p.folders {
		if anyMatches(list, uri, place{folders: p.folders[:i+1]}.path()) {
			return true
		}
	}
	return anyMatches(list, uri, p.path())
}

// included reports whether the document of u is wanted.
func (m *mirror) included(u uri.URI) bool {
	if len(m.options.Include) == 0 {
		return true
	}
	return anyMatches(m.options.Include, key(u), m.placeOf(u).path())
}

// mayLead reports whether the document of u may have links, as its name goes.
func mayLead(u uri.URI) bool {
	switch u.Scheme() {
	case "http", "https", "gemini", "spartan", "nex":
	case "gopher", "gophers":
		return strings.HasPrefix(string(u.Path()), "/1") || len(u.Path()) < 2
	default:
		return false
	}
	if _, has := u.Query(); has {
		return true
	}
	switch strings.ToLower(path.Ext(string(u.Path()))) {
	case "", ".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp", ".cgi", ".pl", ".gmi", ".gemini":
		return true
	}
	return false
}

// repeats reports whether segments stand in a path again and again: folders that lead into themselves.
func repeats(segments []string) bool {
	again := 0
	for i, s := range segments {
		if slices.Contains(segments[:i], s) {
			again++
		}
	}
	return again > maxRepeats
}
