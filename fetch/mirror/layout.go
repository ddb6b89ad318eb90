package mirror

import (
	"slices"
	"strings"

	"example.org/deref/uri"
)

// A place is where the local copy of what a URI names belongs, before the rules of file systems are applied: folders, and the name of
// the document in the last of them, "" if the URI names a folder that is no document.
type place struct {
	folders []string
	name    string
}

// path is the place for patterns.
func (p place) path() string {
	var b strings.Builder
	for _, f := range append(slices.Clone(p.folders), p.name) {
		b.WriteString("/" + strings.ReplaceAll(f, "/", "_"))
	}
	return strings.Trim(b.String(), "/")
}

// elsewhere is the folder of what is not below the mirror's top: other hosts, other schemes.
const elsewhere = "elsewhere"

// placeOf finds the place below the top.
func (m *mirror) placeOf(u uri.URI) place {
	p := pathOf(u)
	if serverOf(u) == m.server && len(p.folders) >= len(m.top) && slices.Equal(p.folders[:len(m.top)], m.top) {
		p.folders = p.folders[len(m.top):]
		return p
	}
	host := strings.ToLower(u.Hostname())
	if port := u.Port(); port != "" {
		host += "_" + port
	}
	p.folders = append([]string{elsewhere, family(u.Scheme()), host}, p.folders...)
	return p
}

// family makes one of schemes that name the same objects of a server.
func family(scheme string) string {
	switch scheme {
	case "nntp", "snews", "nntps":
		return "news"
	case "gophers":
		return "gopher"
	}
	return scheme
}

// serverOf tells servers apart.
func serverOf(u uri.URI) string {
	return family(u.Scheme()) + "://" + strings.ToLower(u.Hostname()) + ":" + u.Port()
}

// isTree reports whether folders of the scheme list what is in them, and nothing else.
func isTree(scheme string) bool {
	switch scheme {
	case "ftp", "ftps", "file":
		return true
	}
	return family(scheme) == "news"
}

// pathOf finds the place below the server.
func pathOf(u uri.URI) place {
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
	if q, has := u.Query(); has { // "?" may stand in no name of Windows; wget writes "@" there too
		p.name += "@" + q.Decode()
	}
	return p
}

// indexName is the name of what a server sends for a folder.
func indexName(scheme string) string {
	switch scheme {
	case "http", "https":
		return indexFile
	case "gemini", "spartan":
		return "index.gmi"
	}
	return "index"
}

// split takes a path apart: what is escaped belongs to its segment. Void segments are none.
func split(path uri.Escaped) place {
	var p place
	segments := strings.Split(string(path), "/")
	for _, s := range segments[:len(segments)-1] {
		if s != "" {
			p.folders = append(p.folders, uri.Escaped(s).Decode())
		}
	}
	p.name = uri.Escaped(segments[len(segments)-1]).Decode()
	return p
}

// gopherPath goes by the item type: a menu is a folder, and "gophermap" the file in it that servers know it by.
func gopherPath(u uri.URI) place {
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
		return place{parts, "gophermap"}
	case len(parts) == 0:
		return place{nil, "item " + string(rune(kind))}
	}
	return place{parts[:len(parts)-1], parts[len(parts)-1]}
}

// newsPath makes a folder of a group, and a file of an article, by its number where that is known.
func newsPath(u uri.URI) place {
	path := strings.Trim(string(u.Path()), "/")
	if _, has := u.Authority(); !has {
		path = string(u.Opaque())
	}
	group, number, numbered := strings.Cut(path, "/")
	group, number = uri.Escaped(group).Decode(), uri.Escaped(number).Decode()
	switch {
	case strings.Contains(group, "@"):
		return place{nil, group}
	case group == "" || group == "*":
		return place{}
	case numbered && !strings.Contains(number, "-"):
		return place{[]string{group}, number}
	}
	return place{[]string{group}, ""}
}

// waisPath makes a folder of a database. A document goes by what its server calls it: the last part of the DocID's original local
// name, which mostly is the path of a file behind two numbers.
func waisPath(u uri.URI) place {
	parts := strings.SplitN(strings.TrimPrefix(string(u.Path()), "/"), "/", 4)
	database := uri.Escaped(parts[0]).Decode()
	if len(parts) < 3 {
		return place{[]string{database}, ""}
	}
	id := parts[len(parts)-1]
	for field := range strings.SplitSeq(id, ";") {
		if local, ok := strings.CutPrefix(field, "3="); ok {
			id = local
		}
	}
	name := uri.Escaped(id).Decode()
	name = strings.Trim(name[strings.LastIndexByte(name, ' ')+1:], "/")
	segments := strings.Split(name, "/")
	last := len(segments) - 1
	return place{append([]string{database}, segments[:last]...), segments[last]}
}
