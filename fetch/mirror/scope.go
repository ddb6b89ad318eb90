package mirror

import (
	"path"
	"strings"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// Reasons why a URI is left out, for reports.
const (
	outElsewhere  = "on another server"
	outAbove      = "not below the directory of the root"
	outExcluded   = "excluded"
	outIncluded   = "not included"
	outDeep       = "too many steps from the root"
	outLong       = "the URI is too long"
	outRepeating  = "path segments repeat: a loop or a trap"
	outFull       = "enough documents"
	outScheme     = "its scheme is not followed"
	outRobots     = "forbidden by the server's robots.txt"
	outOld        = "too old"
	outLink       = "a link to a directory"
	outNothing    = "a dangling link"
	outNoCopy     = "a link to a document without a copy"
	outTaken      = "a link whose name is taken by a directory"
	outSearch     = "a search"
	outSession    = "a session"
	outNoDocument = "not a document"
	outNoURI      = "an entry without a URI"
	maxLocalPath  = 800 // bytes in a local path, which some systems limit
	maxWithin     = 10  // steps from a page to a requisite, such as an image of a sheet that a sheet imports
	defaultDepth  = 1000
	defaultNumber = 50_000_000
)

// canonical returns the form in which URIs are compared and recorded.
func (m *mirror) canonical(u uri.URI) uri.URI {
	u = u.WithoutFragment().ASCII()
	s, ok := m.client.Schemes.Lookup(u.Scheme())
	if !ok {
		return u.Normalize()
	}
	if top, ok := gopherTop(u); ok {
		return top
	}
	return uri.RFC3986Scheme.Normalize(u, &s.Rules)
}

// gopherTop returns one URI for all names of a server's first menu. QUIRK: by RFC 1436 its selector is empty; real menus send "/", which
// all servers treat as the same.
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

// key returns the URI's key in the manifest.
func key(u uri.URI) string { return u.WithoutPassword().String() }

// whyLeftOut returns why u, which is canonical and depth steps from the root, is left out, or "" if it is not.
func (m *mirror) whyLeftOut(u uri.URI, depth int) string { return m.whyNot(u, note{Depth: depth}) }

// whyNot is whyLeftOut for the URI of a note. Requisites of a page may be above the root, further away and, with permission, on other hosts.
func (m *mirror) whyNot(u uri.URI, n note) string {
	p := m.placeOf(u)
	isRequisite := n.Within > 0
	switch {
	case len(u.String()) > m.options.URILength:
		return outLong
	case !isRequisite && m.options.Depth >= 0 && n.Depth > m.options.Depth, n.Within > maxWithin:
		return outDeep
	case !m.follows(u):
		return outScheme
	case !m.options.SpanHosts && serverOf(u) != m.server && !(isRequisite && m.mayEmbed(u)):
		return outElsewhere
	case m.options.NoParent && !isRequisite && m.isElsewhere(u) && serverOf(u) == m.server:
		return outAbove
	case scope.IsTrap(p.dirs):
		return outRepeating
	case m.options.Exclude.MatchWithin(u, p.path()):
		return outExcluded
	}
	return ""
}

// isElsewhere reports whether u is not below the mirror's top.
func (m *mirror) isElsewhere(u uri.URI) bool { return !m.isBelow(u, pathOf(u).dirs) }

func isWeb(u uri.URI) bool { return u.Scheme() == "http" || u.Scheme() == "https" }

// mayEmbed reports whether pages may have requisites on the host of u: the root's host by http and https, and those that the options name.
func (m *mirror) mayEmbed(u uri.URI) bool {
	if isWeb(u) && isWeb(m.root) && strings.EqualFold(u.Hostname(), m.root.Hostname()) && u.Port() == "" && m.root.Port() == "" {
		return true
	}
	return m.options.RequisiteHosts.MatchHost(u)
}

// follows reports whether URIs of the scheme are followed. Local schemes are followed only if the root has one.
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

// included reports whether the document u should be saved.
func (m *mirror) included(u uri.URI) bool {
	return len(m.options.Include) == 0 || m.options.Include.Match(u, m.placeOf(u).path())
}

// mayHaveLinks reports whether the document u may have links, judging by its name.
func mayHaveLinks(u uri.URI) bool {
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
	name := string(u.Path())
	switch strings.ToLower(path.Ext(name)) {
	case "", ".php", ".asp", ".aspx", ".jsp", ".cgi", ".pl":
		return true
	}
	return isPage(mediatype.OfFile(name))
}
