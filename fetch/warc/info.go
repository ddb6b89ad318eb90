package warc

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"example.org/deref/fetch"
)

// CheckInfo returns an error unless f can be a field of the warcinfo record: its name is a token (ISO 28500:2017 section 4) that is not
// reserved for the program or a header, and its value is a text of one line.
func CheckInfo(f Field) error {
	if !httpguts.ValidHeaderFieldName(f.Name) { // the token of RFC 9110 is that of ISO 28500
		return fetch.Errorf(fetch.ErrLocal, "a field of the archive's description cannot have the name %q", f.Name)
	}
	switch name := strings.ToLower(f.Name); {
	case name == "software", name == "format", name == "conformsto", strings.HasPrefix(name, "warc-"), strings.HasPrefix(name, "content-"):
		return fetch.Errorf(fetch.ErrLocal, "the archive's description cannot have another field %s", f.Name)
	}
	if f.Value == "" || !utf8.ValidString(f.Value) || !httpguts.ValidHeaderFieldValue(f.Value) {
		return fetch.Errorf(fetch.ErrLocal, "the field %s of the archive's description cannot have the value %q", f.Name, f.Value)
	}
	return nil
}
