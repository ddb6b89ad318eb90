package ftp

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// names converts names between URIs, which have them in UTF-8, and a server that uses another charset. The zero value changes nothing: names
// are bytes.
type names struct {
	label    string
	encoding encoding.Encoding
}

// namesOf returns the conversion that the settings request. Options.Charset is not for it: it decodes only titles, so that URIs are valid without it.
func namesOf(o *fetch.Options) names {
	label := o.Get("ftp.charset")
	return names{label, charset.Lookup(label)}
}

// checkCharset returns an error for an unknown charset.
func checkCharset(label string) error {
	if label != "" && !charset.IsKnown(label) {
		return fetch.BadSetting("ftp.charset", "unknown charset: %q", label)
	}
	return nil
}

// toServer returns the bytes that the server has for a name in a URI. Those that are not UTF-8 are the server's already.
func (n names) toServer(name string) (string, error) {
	if n.encoding == nil || isASCII(name) || !utf8.ValidString(name) {
		return name, nil
	}
	s, err := n.encoding.NewEncoder().String(name)
	if err != nil {
		return "", fetch.Errorf(fetch.ErrNotFound, "%s has not all characters of %q", n.label, name)
	}
	return s, nil
}

// fromServer returns the text of a name in a listing. ok is false if toServer would not return the same bytes.
func (n names) fromServer(name string) (text string, ok bool) {
	if n.encoding == nil || isASCII(name) {
		return name, false
	}
	text, err := n.encoding.NewDecoder().String(name)
	if err != nil || strings.ContainsRune(text, utf8.RuneError) {
		return name, false
	}
	back, err := n.toServer(text)
	return text, err == nil && back == name
}

// convert replaces the names of the target by those of the server.
func (n names) convert(t *target) (err error) {
	for i, c := range t.CWD {
		if t.CWD[i], err = n.toServer(c); err != nil {
			return err
		}
	}
	t.Name, err = n.toServer(t.Name)
	return err
}

// A nameKind is how the path of a request depends on the charset of the session.
type nameKind int

const (
	plainNames nameKind = iota // ASCII
	utf8Names                  // the server may have to be asked for UTF-8
	byteNames                  // the server's own bytes, or converted to its charset: they mean something else after OPTS UTF8 ON
)

// kind returns the kind of a target that was converted.
func (n names) kind(t *target) nameKind {
	k := plainNames
	if n.encoding != nil {
		k = byteNames
	}
	for _, s := range append(t.CWD[:len(t.CWD):len(t.CWD)], t.Name) {
		switch {
		case isASCII(s):
		case !utf8.ValidString(s):
			return byteNames
		case k == plainNames:
			k = utf8Names
		}
	}
	return k
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
