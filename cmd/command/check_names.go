package command

import (
	"path/filepath"
	"strings"

	"example.org/deref/cmd/internal/request"
	"example.org/deref/uri"
)

// A naming shows URIs as the user knows them: local files by their paths, which begin as the arguments do.
type naming struct {
	redact func(uri.URI) string
	list   []beginning // the current directory first
}

// A beginning is the name for the beginning of URIs.
type beginning struct{ uri, name string }

// newNaming returns a naming for no arguments. Its paths are relative to the current directory if they are below it.
func newNaming(m uri.Mode) (naming, error) {
	here, err := directory(m, ".")
	if err != nil {
		return naming{}, err
	}
	top, err := filepath.Abs("/")
	return naming{list: []beginning{{here.String(), ""}, {request.DirectoryURI(m, top), top}}}, err
}

// add adds the URI of an argument.
func (n *naming) add(u uri.URI, arg string) {
	text := u.String()
	switch {
	case arg == "-":
		n.list = append(n.list, beginning{text, "standard input"})
	case u.Scheme() != "file", strings.HasPrefix(arg, "file:"), filepath.Clean(arg) == ".":
	case strings.HasSuffix(text, "/"):
		n.list = append(n.list, beginning{text, strings.TrimSuffix(arg, "/") + "/"})
	default:
		parent, _ := filepath.Split(arg)
		n.list = append(n.list, beginning{text, arg}, beginning{text[:strings.LastIndexByte(text, '/')+1], parent})
	}
}

// of returns the name of u.
func (n *naming) of(u uri.URI) string {
	if path := n.path(u); path != "" {
		return path
	}
	return n.redact(u)
}

// path returns the name of a URI of the list, with its fragment. It returns "" for any other.
func (n *naming) path(u uri.URI) string {
	text := u.WithoutFragment().String()
	var best *beginning
	for i, b := range n.list {
		if strings.HasPrefix(text, b.uri) && (best == nil || len(b.uri) >= len(best.uri)) {
			best = &n.list[i]
		}
	}
	if best == nil {
		return ""
	}
	name := best.name + filepath.FromSlash(uri.Escaped(text[len(best.uri):]).Decode())
	if part, ok := u.Fragment(); ok {
		name += "#" + string(part)
	}
	return name
}
