package markup

import (
	"bytes"
	"html"
	"strings"
)

// decoded returns s with its character references decoded. In an attribute, a name without a semicolon is a reference only if no letter,
// digit or "=" follows: ?a=b&copy=c has no © (HTML Standard section 13.2.5.73).
func decoded(s []byte, attribute bool) (out []byte) {
	for {
		i := bytes.IndexByte(s, '&')
		if i < 0 {
			return append(out, s...)
		}
		n := i + reference(s[i:])
		ref, after := string(s[i:n]), s[n:]
		character := unescape(ref)
		if attribute && !isWhole(ref, character, after) {
			character = ref
		}
		out = append(append(out, s[:i]...), character...)
		s = after
	}
}

// mostDigits is larger than the number of digits of any character.
const mostDigits = 8

// unescape decodes a reference. The standard library does not decode the two characters that are longer than their names, or a number of one digit
// at the end, and long numbers overflow.
func unescape(ref string) string {
	switch {
	case ref == "&nGt;":
		return "\u226b\u20d2"
	case ref == "&nLt;":
		return "\u226a\u20d2"
	case strings.HasPrefix(ref, "&#") && len(strings.TrimRight(strings.TrimLeft(ref[2:], "xX0"), ";")) > mostDigits:
		return "\ufffd" // HTML Standard section 13.2.5.80
	case strings.HasPrefix(ref, "&#") && !strings.HasSuffix(ref, ";"):
		if c := html.UnescapeString(ref + ";"); c != ref+";" {
			return c
		}
		return ref
	}
	return html.UnescapeString(ref)
}

// reference returns the length of the possible character reference at the start of s, which begins with &.
func reference(s []byte) int {
	i, part := 1, isAlphanumeric
	if i < len(s) && s[i] == '#' {
		i, part = i+1, isDigit
		if i < len(s) && s[i]|0x20 == 'x' {
			i, part = i+1, isHexadecimal
		}
	}
	first := i
	if i = skip(s, i, part); i == first {
		return 1 // only the &
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	return i
}

func isDigit(c byte) bool        { return '0' <= c && c <= '9' }
func isHexadecimal(c byte) bool  { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isAlphanumeric(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

// isWhole reports whether the whole reference was decoded, not only the beginning of its name.
func isWhole(ref, character string, after []byte) bool {
	last := character[len(character)-1]
	switch {
	case len(ref) > 1 && ref[1] == '#':
		return true
	case ref[len(ref)-1] == ';':
		return last != ';' || character == ";" // of &semi;
	}
	return !isAlphanumeric(last) && !bytes.HasPrefix(after, []byte("=")) // names without a semicolon never stand for a US-ASCII letter
}
