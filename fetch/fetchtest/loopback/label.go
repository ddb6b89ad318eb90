package loopback

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Label returns the name of a file as it is shown in one line of UTF-8 text: with question marks in place of control characters, and with
// each byte that is not UTF-8 as %XX, so that different names stay different.
func Label(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "%%%02X", name[i])
		case r < ' ' || r == 0x7f:
			b.WriteByte('?')
		default:
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Printable returns s with a question mark in place of each control character, which could end a line of a reply. The other bytes are
// unchanged.
func Printable(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c == 0x7f {
			b[i] = '?'
		}
	}
	return string(b)
}

// Lower returns s in lower case, for comparisons. Unlike strings.ToLower, which replaces every invalid byte by the same character, it keeps
// the bytes of a name that is not UTF-8, so that different names stay different. Of those it changes only A to Z.
func Lower(s string) string {
	if utf8.ValidString(s) {
		return strings.ToLower(s)
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}
