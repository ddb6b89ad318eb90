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
	return byLine(r, func(line string) (Link, bool, error) {
		s := strings.TrimSpace(line)
		u, err := uri.Parse(s)
		if err == nil && !u.IsAbs() {
			u, err = uri.URI{}, &uri.Error{Rule: "not absolute (RFC 2483 §5)"}
		}
		return Link{URI: u.ASCII(), Ref: s}, s != "" && s[0] != '#', err
	})
}
