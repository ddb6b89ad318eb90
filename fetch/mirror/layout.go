package mirror

import (
	"slices"
	"strings"

	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A location is where the local copy of a URI belongs, before the rules of file systems are applied: directories, and the name of the
// document in the last one. The name is "" if the URI names a directory that is not a document.
type location struct {
	dirs []string
	name string
}

// path returns the location as a path for patterns.
func (p location) path() string {
	var b strings.Builder
	for _, f := range append(slices.Clone(p.dirs), p.name) {
		b.WriteString("/" + strings.ReplaceAll(f, "/", "_"))
	}
	return strings.Trim(b.String(), "/")
}

// elsewhere is the directory for URIs outside the mirror's top: other hosts, other schemes.
const elsewhere = "elsewhere"

// placeOf returns the location of u below the top.
func (m *mirror) placeOf(u uri.URI) location {
	p := pathOf(u)
	if m.isBelow(u, p.dirs) {
		p.dirs = p.dirs[len(m.top):]
		return p
	}
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" {
		host += "_" + port
	}
	p.dirs = append([]string{elsewhere, family(u.Scheme()), host}, p.dirs...)
	return p
}

// isBelow reports whether u, whose directories on its server are dirs, is below the mirror's top.
func (m *mirror) isBelow(u uri.URI, dirs []string) bool {
	return serverOf(u) == m.server && len(dirs) >= len(m.top) && slices.Equal(dirs[:len(m.top)], m.top)
}

// family returns one name for all schemes that name the same objects on a server.
func family(scheme string) string {
	switch scheme {
	case "nntp", "snews", "nntps":
		return "news"
	case "gophers":
		return "gopher"
	}
	return scheme
}

// serverOf returns the same string for URIs on the same server.
func serverOf(u uri.URI) string {
	return family(u.Scheme()) + "://" + strings.ToLower(u.Hostname()) + ":" + u.Port()
}

// isTree reports whether the scheme has directories that list exactly their contents.
func isTree(scheme string) bool { return endsInSlash(scheme) || family(scheme) == "news" }

// endsInSlash reports whether the scheme has such directories, and their URIs end in a slash.
func endsInSlash(scheme string) bool { return scheme == "ftp" || scheme == "ftps" || scheme == "file" }

// pathOf returns the location of u below its server.
func pathOf(u uri.URI) location {
	switch u.Scheme() {
	case "gopher", "gophers":
		return gopherPath(u)
	case "news", "nntp", "snews", "nntps":
		return newsPath(u)
	case "wais":
		return waisPath(u)
	}
	p := split(u.Path())
	if p.name == "" && !isTree(u.Scheme()) {
		p.name = indexName(u.Scheme())
	}
	if q, has := u.Query(); has { // Windows allows no "?" in names; wget writes "@", too
		p.name += "@" + q.Decode()
	}
	return p
}

// indexName returns the file name for the document that a server sends for a directory.
func indexName(scheme string) string {
	switch scheme {
	case "http", "https":
		return indexFile
	case "gemini", "spartan":
		return "index.gmi"
	}
	return "index"
}

// split splits a path before decoding, so that escaped slashes belong to their segment. Empty segments are dropped.
func split(path uri.Escaped) location {
	var p location
	segments := strings.Split(string(path), "/")
	for _, s := range segments[:len(segments)-1] {
		if s != "" {
			p.dirs = append(p.dirs, uri.Escaped(s).Decode())
		}
	}
	p.name = uri.Escaped(segments[len(segments)-1]).Decode()
	return p
}

// gopherPath uses the item type: a menu is a directory, and contains the file "gophermap", the name that servers use.
func gopherPath(u uri.URI) location {
	path := strings.TrimPrefix(string(u.Path()), "/")
	kind, selector := byte('1'), ""
	if all := uri.Escaped(path).Decode(); all != "" {
		kind, selector = all[0], all[1:]
	}
	if q, has := u.Query(); has {
		selector += "?" + q.Decode()
	}
	parts := strings.FieldsFunc(selector, func(r rune) bool { return r == '/' })
	switch {
	case kind == '1':
		return location{parts, "gophermap"}
	case len(parts) == 0:
		return location{nil, "item " + string(rune(kind))}
	}
	return location{parts[:len(parts)-1], parts[len(parts)-1]}
}

// newsPath maps a group to a directory and an article to a file, named by its number if known.
func newsPath(u uri.URI) location {
	path := strings.Trim(string(u.Path()), "/")
	if _, has := u.Authority(); !has {
		path = string(u.Opaque())
	}
	group, number, numbered := strings.Cut(path, "/")
	group, number = uri.Escaped(group).Decode(), uri.Escaped(number).Decode()
	switch {
	case strings.Contains(group, "@"):
		return location{nil, group}
	case group == "" || group == "*":
		return location{}
	case numbered && !strings.Contains(number, "-"):
		return location{[]string{group}, number}
	}
	return location{[]string{group}, ""}
}

// waisPath maps a database to a directory. A document gets the server's name for it.
func waisPath(u uri.URI) location {
	parts := strings.SplitN(strings.TrimPrefix(string(u.Path()), "/"), "/", 4)
	database := uri.Escaped(parts[0]).Decode()
	if len(parts) < 3 {
		return location{[]string{database}, ""}
	}
	id := parts[len(parts)-1]
	name, ok := save.WAISName(string(u.Path()), id)
	if !ok {
		name = uri.Escaped(id).Decode()
	}
	name = strings.Trim(name, "/")
	segments := strings.Split(name, "/")
	last := len(segments) - 1
	return location{append([]string{database}, segments[:last]...), segments[last]}
}
