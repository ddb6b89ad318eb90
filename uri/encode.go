package uri

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe is a set of characters that are not escaped in a URI: the drafts' "reduced or increased safe character sets". A URI is Equal to its
// encoding with any of them, and the result does not depend on the encoding before.
type Safe uint8

const (
	SafeRFC3986 Safe = iota // all that RFC 3986 allows
	SafeMail                // characters that every mail gateway preserves: PrintableString (X.400, RFC 2045 §6.7)
	SafeShell               // no characters special to a shell
	SafePrint               // for display: letters beyond ASCII are not escaped (RFC 3987 §3.2)
)

// String returns the name used by the command line.
func (s Safe) String() string {
	return nameIn([]string{
		SafeRFC3986: "rfc3986", SafeMail: "mail", SafeShell: "shell", SafePrint: "print",
	}, s)
}

// ParseSafe is the inverse of String.
func ParseSafe(name string) (Safe, bool) { return parseName[Safe](name, int(SafePrint)+1) }

// escapes reports whether s escapes c, a character that may be escaped or not.
func (s Safe) escapes(c byte) bool {
	switch s {
	case SafeMail:
		return strings.IndexByte("~_$&", c) >= 0
	case SafeShell:
		return strings.IndexByte("~$&'()", c) >= 0
	}
	return false
}

// Encode returns u with only the characters of s unescaped. It changes only characters whose escaped form means the same in the mode:
// unreserved ones (RFC 3986 §2.3; in the drafts also "$ & ' ( ) ,", D14), and those that must be escaped. Reserved characters are never encoded
// or decoded, so in RFC 3986 a "&" stays also with SafeShell. The segments ".", ".." and "%2E" stay unchanged.
func (m Mode) Encode(u URI, s Safe) URI {
	l := encoder{newNormalizer(m, nil), s}
	dst := append(make([]byte, 0, len(u.s)+16), u.s[:u.start()]...)
	if u.path != u.start() {
		dst = l.authority(append(dst, '/', '/'), u)
	}
	i := len(dst)
	dst = l.level(dst, string(l.segments(nil, u.s[u.path:u.query])))
	if u.scheme == 0 && u.path == u.start() {
		dst = guardColon(dst, i)
	}
	if q, ok := u.Query(); ok {
		dst = l.part(append(dst, '?'), string(q), lgQuery)
	}
	if f, ok := u.Fragment(); ok {
		dst = l.part(append(dst, '#'), string(f), lgQuery)
	}
	return reparse(string(dst))
}

type encoder struct {
	*normalizer
	safe Safe
}

func (l *encoder) authority(dst []byte, u URI) []byte {
	if u.at != 0 {
		dst = append(l.part(dst, u.s[u.start()+2:u.at], lgUserinfo), '@')
	}
	i, j := u.hostSpan()
	if i < j && u.s[i] == '[' {
		return append(dst, u.s[i:u.path]...)
	}
	dst = l.part(dst, u.s[i:j], lgName)
	return append(dst, u.s[j:u.path]...)
}

func (l *encoder) part(dst []byte, s string, where class) []byte {
	return l.level(dst, string(l.normalizer.part(nil, s, where)))
}

// level appends s, whose escapes are canonical, with the characters of l.safe.
func (l *encoder) level(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && l.safe == SafePrint:
			n := 0
			dst, n = l.print(dst, s[i:])
			i += n - 1
		case c == '%':
			dst = append(dst, s[i:i+3]...)
			i += 2
		case l.decodes(c) && l.safe.escapes(c):
			dst = appendEscape(dst, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// print appends the character encoded by the escapes at the start of s if it is visible, and otherwise the first escape. It also returns how
// many bytes of s it has read.
func (l *encoder) print(dst []byte, s string) ([]byte, int) {
	var b [utf8.UTFMax]byte
	n := 0
	for i := 0; n < len(b) && i < len(s) && s[i] == '%'; i += 3 {
		b[n] = octetAt(s, i)
		n++
	}
	if b[0] < 0x80 {
		return append(dst, s[:3]...), 3
	}
	if !l.mode.Unicode() {
		if b[0] > 0xA0 && b[0] != 0xAD {
			return append(dst, b[0]), 3
		}
		return append(dst, s[:3]...), 3
	}
	r, size := utf8.DecodeRune(b[:n])
	if r == utf8.RuneError || !visible(r) {
		return append(dst, s[:3]...), 3
	}
	return append(dst, b[:size]...), 3 * size
}

// visible reports whether r may be shown in a URI. Spaces, controls, invisible characters, and marks that change the direction of text
// (RFC 3987 §4.1) may not.
func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}
