package http

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
)

// grammar is what the lines of a request hold: a field is a token and a value without control characters but TAB (RFC 9110 section 5.5),
// the request line is words with single blanks between (RFC 9112 section 3).
func grammar(s *fetch.Step) error {
	if name, isField := strings.CutSuffix(s.Verb, ":"); isField {
		switch {
		case !isToken(name):
			return errors.New("the name of a header field is not a token")
		case len(s.Args) != 1 || !isFieldValue(s.Args[0]):
			return errors.New("a control character in the header field " + name)
		}
		return nil
	}
	if !isToken(s.Verb) {
		return errors.New("the method is not a token")
	}
	for _, a := range s.Args {
		if strings.ContainsFunc(a, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			return errors.New("a blank or control character in the request line")
		}
	}
	return nil
}

// isFieldValue reports whether a header field can have the value: RFC 9110 section 5.5.
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
