package links

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"example.org/deref/uri"
)

// RewriteCSS copies a style sheet from r to w with other references. It calls to for each reference that CSS yields, in the same order, and replaces the
// reference by ref if changed is true. It changes no other byte.
//
// text decodes a piece of the sheet to UTF-8. It is nil for UTF-8. In another encoding each byte below 0x40 must be that character of ASCII; what a new
// reference contains besides ASCII is written as escapes.
func RewriteCSS(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(Link) (ref string, changed bool)) error {
	out := bufio.NewWriter(w)
	s := sheet{in: bufio.NewReader(r), base: base, text: text, keep: true, from: -1, line: 1}
	s.write = func(b []byte) { out.Write(b) } // Flush reports errors
	s.yield = func(l located, err error) bool {
		if err != nil {
			return true
		}
		if ref, changed := to(l.Link); changed {
			s.write(s.raw[:l.at.from])
			s.write([]byte(escapedCSS(ref)))
			s.raw = append(s.raw[:0], s.raw[l.at.to:]...)
		}
		return true
	}
	for s.err == nil {
		s.token()
	}
	s.flush(len(s.raw))
	if err := out.Flush(); err != nil || errors.Is(s.err, io.EOF) {
		return err
	}
	return s.err
}

// escapedCSS returns s for a string of CSS and for url() without quotes: CSS Syntax 3 section 4.3.7.
func escapedCSS(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r <= ' ', r >= utf8.RuneSelf:
			fmt.Fprintf(&b, "\\%x ", r)
		case strings.ContainsRune(`"'()\`, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
