package ldap

import (
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"github.com/go-ldap/ldap/v3"
)

// maxNesting and maxFilter limit a filter before a library parses it recursively.
const (
	maxNesting = 32
	maxFilter  = 8 << 10
)

// checkFilter returns an error unless s has the form of a filter (RFC 4515): parentheses, nesting, escapes. The library that encodes it checks
// the comparisons.
func checkFilter(s string) error {
	if len(s) > maxFilter || !utf8.ValidString(s) || strings.Contains(s, "\x00") {
		return fetch.Errorf(fetch.ErrRefusedURL, "the filter must be UTF-8 of at most %d bytes without NUL (RFC 4515 section 3)", maxFilter)
	}
	if !strings.HasPrefix(s, "(") {
		return fetch.Errorf(fetch.ErrRefusedURL, "the filter must begin with a parenthesis (RFC 4515 section 3)")
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '\\':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return fetch.Errorf(fetch.ErrRefusedURL, `a backslash in a filter must be followed by two hexadecimal digits`)
			}
		}
		switch {
		case depth > maxNesting:
			return fetch.Errorf(fetch.ErrRefusedURL, "the filter is nested more than %d levels deep", maxNesting)
		case depth <= 0 && i < len(s)-1:
			return fetch.Errorf(fetch.ErrRefusedURL, "more text after the end of the filter")
		}
	}
	if depth != 0 {
		return fetch.Errorf(fetch.ErrRefusedURL, "the parentheses of the filter do not match")
	}
	if _, err := ldap.CompileFilter(s); err != nil {
		return fetch.Errorf(fetch.ErrRefusedURL, "bad filter (RFC 4515 section 3): %v", err)
	}
	return nil
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// escapeFilter escapes a value for a filter: RFC 4515 section 3.
func escapeFilter(s string) string {
	return strings.NewReplacer(`\`, `\5c`, "*", `\2a`, "(", `\28`, ")", `\29`, "\x00", `\00`).Replace(s)
}

// escapeDN escapes a value for a distinguished name: RFC 4514 section 2.4.
func escapeDN(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case strings.IndexByte(`"+,;<>\=`, c) >= 0, i == 0 && (c == ' ' || c == '#'), i == len(s)-1 && c == ' ':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\r':
			b.WriteString(`\0D`)
		case c == '\n':
			b.WriteString(`\0A`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
