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
	outFull       = "enough documents"
	outOld        = "too old"
	outLink       = "a link to a directory"
	outLong       = "links after a tag or script that is too long"
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
func (m *mirror) canonical(u uri.URI) uri.URI { return scope.Canonical(m.client.Schemes, u) }

// key returns the URI's key in the manifest.
func key(u uri.URI) string { return u.WithoutPassword().String() }

// whyNot returns why u, which is canonical, and about which n is known, is left out, or "" if it is not.
func (m *mirror) whyNot(u uri.URI, n note) string {
	if n.Within > 0 {
		return m.requisites.WhyNot(u, n.Within)
	}
	return m.pages.WhyNot(u, n.Depth)
}

// setScopes sets the scopes of the documents, and of what pages embed, which may be above the root, further away and, with permission, on other hosts.
func (m *mirror) setScopes() {
	o := &m.options
	m.pages = scope.Scope{Depth: o.Depth, Scheme: m.follows, Exclude: o.Exclude, Place: func(u uri.URI) ([]string, string) {
		p := m.placeOf(u)
		return p.dirs, p.path()
	}}
	m.requisites = m.pages
	m.requisites.Depth = maxWithin
	if !o.SpanHosts {
		m.pages.Server = func(u uri.URI) bool { return serverOf(u) == m.server }
		m.requisites.Server = func(u uri.URI) bool { return serverOf(u) == m.server || m.mayEmbed(u) }
	}
	if o.NoParent {
		m.pages.Below = func(u uri.URI) bool { return !m.isElsewhere(u) || serverOf(u) != m.server }
	}
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
	s, _ := m.client.Schemes.Lookup(u.Scheme())
	return scope.IsRetrieved(m.client.Schemes, u) && (family(u.Scheme()) == family(m.root.Scheme()) || !s.Local && u.Host() != "")
}

// included reports whether the document u should be saved.
func (m *mirror) included(u uri.URI) bool {
	return len(m.options.Include) == 0 || m.options.Include.Match(u, m.placeOf(u).path())
}

// mayHaveLinks reports whether the document u may have links, judging by its name.
func mayHaveLinks(u uri.URI) bool {
	switch {
	case isWeb(u), isGemtext(u):
	case family(u.Scheme()) == "gopher":
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
