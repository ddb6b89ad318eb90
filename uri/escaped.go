package uri

import "strings"

// Escaped is a component, or a part of one, as it stands in a URI: still
// encoded. It is a type of its own so that it is not taken for decoded text.
type Escaped string

// Decode returns the octets that e stands for, each escape replaced by its
// octet. Split e into its parts first: what was escaped is data, never a
// delimiter (RFC 3986 §2.4). A percent sign that starts no escape is kept.
func (e Escaped) Decode() string {
	i := strings.IndexByte(string(e), '%')
	if i < 0 {
		return string(e)
	}
	return string(appendDecoded(make([]byte, 0, len(e)), string(e), i))
}

func appendDecoded(dst []byte, s string, i int) []byte {
	dst = append(dst, s[:i]...)
	for i < len(s) {
		if s[i] == '%' && escapeAt(s, i) {
			dst = append(dst, octetAt(s, i))
			i += 3
			continue
		}
		dst = append(dst, s[i])
		i++
	}
	return dst
}

// appendLegal appends s and escapes what l does not hold; whole escapes are kept.
func appendLegal(dst []byte, s string, l legal) []byte {
	for i := range len(s) {
		if l.has(s[i]) || s[i] == '%' && escapeAt(s, i) {
			dst = append(dst, s[i])
		} else {
			dst = appendEscape(dst, s[i])
		}
	}
	return dst
}
