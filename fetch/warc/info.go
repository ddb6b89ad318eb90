package warc

import (
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
)

// CheckInfo returns an error unless f can be a field of the warcinfo record: its name is a token (ISO 28500:2017 section 4) that is not
// reserved for the program or a header, and its value is a text of one line.
func CheckInfo(f Field) error {
	if f.Name == "" || strings.ContainsFunc(f.Name, func(c rune) bool { return !isTokenByte(c) }) {
		return fetch.Errorf(fetch.ErrLocal, "a field of the archive's description cannot have the name %q", f.Name)
	}
	switch name := strings.ToLower(f.Name); {
	case name == "software", name == "format", name == "conformsto", strings.HasPrefix(name, "warc-"), strings.HasPrefix(name, "content-"):
		return fetch.Errorf(fetch.ErrLocal, "the archive's description cannot have another field %s", f.Name)
	}
	if f.Value == "" || !utf8.ValidString(f.Value) || strings.ContainsFunc(f.Value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return fetch.Errorf(fetch.ErrLocal, "the field %s of the archive's description cannot have the value %q", f.Name, f.Value)
	}
	return nil
}

// isTokenByte reports whether c may be in a field's name.
func isTokenByte(c rune) bool {
	return c > ' ' && c < 0x7f && !strings.ContainsRune(`()<>@,;:\"/[]?={}`, c)
}
