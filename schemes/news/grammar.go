package news

import (
	"errors"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// grammar is what commands hold: each argument is a word (RFC 3977 section 9.2), but for names and passwords, which are the rest of the
// line (RFC 4643 section 3), and for what is looked for on this machine.
func grammar(s *fetch.Step) error {
	if s.Verb == "look" || strings.HasPrefix(s.Verb, "AUTHINFO") {
		return nil
	}
	if slices.ContainsFunc(s.Args, func(a string) bool { return !isWord(a) }) {
		return errors.New("an argument of " + s.Verb + " is empty, or holds a blank or control character")
	}
	return nil
}
