package links

import (
	"io"
	"iter"
	"strings"

	"example.org/deref/uri"
)

// List yields the URIs of a text/uri-list (RFC 2483 §5): one a line, except comments, which start with "#". If a line is not an absolute URI, its
// Link comes with an error. A read error comes last, with a zero Link.
func List(r io.Reader) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		for line, err := range lines(r) {
			if err != nil {
				yield(Link{}, err)
				return
			}
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			if !yield(absolute(line)) {
				return
			}
		}
	}
}

func absolute(s string) (Link, error) {
	u, err := uri.Parse(s)
	if err == nil && !u.IsAbs() {
		u, err = uri.URI{}, &uri.Error{Rule: "not absolute (RFC 2483 §5)"}
	}
	return Link{URI: u.ASCII(), Ref: s}, err
}
