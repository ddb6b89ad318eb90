package http

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
)

// grammar checks a line of a request. A field is a token and a value without control characters except TAB (RFC 9110 section 5.5). The
// request line is words with single spaces between them (RFC 9112 section 3).
func grammar(s *fetch.Step) error {
	if name, isField := strings.CutSuffix(s.Verb, ":"); isField {
		switch {
		case !isToken(name):
			return errors.New("the name of a header field is not a token")
		case len(s.Args) != 1 || !isFieldValue(s.Args[0]):
			return errors.New("control character in the header field " + name)
		}
		return nil
	}
	if !isToken(s.Verb) {
		return errors.New("the method is not a token")
	}
	for _, a := range s.Args {
		if strings.IndexByte(a, ' ') >= 0 || strings.IndexByte(a, '\t') >= 0 || !isFieldValue(a) {
			return errors.New("space or control character in the request line")
		}
	}
	return nil
}

// isFieldValue reports whether s is a valid field value: RFC 9110 section 5.5.
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// isToken reports whether s is a token: RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < 64 && lowToken>>c&1 == 0 || c >= 64 && highToken>>(c-64)&1 == 0 { // a shift by 64 or more gives 0
			return false
		}
	}
	return s != ""
}

// The characters of a token below 64, and from 64 on, one bit for each.
const (
	lowToken  uint64 = 1<<'!' | 0b11111<<'#' | 0b11<<'*' | 0b11<<'-' | (1<<10-1)<<'0'         // ! #$%&' *+ -. digits
	highToken uint64 = ((1<<26-1)<<'A' | 0b111<<'^' | (1<<26-1)<<'a' | 1<<'|' | 1<<'~') >> 64 // letters ^_` | ~
)
