package uri

import "strings"

// Escaped is a component of a URI, or a part of one, before decoding. It is a separate type so that it is not used as decoded text.
type Escaped string

// Decode replaces each escape by its byte. Split e into its parts first: an escaped character is data, never a delimiter (RFC 3986 §2.4). A
// percent sign that does not start an escape stays.
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

// appendLegal appends s and escapes the bytes that are not in l. Complete escapes stay.
func appendLegal(dst []byte, s string, l class) []byte {
	for i := range len(s) {
		if l.has(s[i]) || s[i] == '%' && escapeAt(s, i) {
			dst = append(dst, s[i])
		} else {
			dst = appendEscape(dst, s[i])
		}
	}
	return dst
}
