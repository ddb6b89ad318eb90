package uri

import (
	"cmp"
	"strings"
)

// ASCII returns u with only characters of RFC 3986, as the conversion of an IRI does (RFC 3987 §3.1): the host becomes its A-labels, and each byte
// beyond ASCII, space " < > \ ^ ` { | } is escaped. Text in UTF-8 and raw bytes in any other encoding are both preserved. Existing escapes stay
// unchanged, except in a host, which has only one form. A host without A-labels is only escaped; HostPort refuses it. Converting the result again
// changes nothing.
func (u URI) ASCII() URI {
	if u.s == "" {
		return u
	}
	host, changed := u.asciiHost()
	if !changed && clNotURI.index(u.s) < 0 {
		return u
	}
	i, j := u.hostSpan()
	b := make([]byte, 0, len(u.s)+32)
	b = appendURI(b, u.s[:i])
	b = append(b, host...)
	return reparse(string(appendURI(b, u.s[j:])))
}

// asciiHost returns the host of the ASCII form.
func (u URI) asciiHost() (host string, changed bool) {
	h := string(u.Host())
	if h == "" || h[0] == '[' || ascii(h) && strings.IndexByte(h, '%') < 0 {
		return h, false
	}
	if name, ok := toASCII(Escaped(h).Decode()); ok {
		return name, name != h
	}
	return string(appendURI(nil, h)), clNotURI.index(h) >= 0
}

// appendURI appends s and escapes the bytes that no component may contain. Brackets in queries stay, as in browsers.
func appendURI(dst []byte, s string) []byte {
	for i := range len(s) {
		if clNotURI.has(s[i]) {
			dst = appendEscape(dst, s[i])
		} else {
			dst = append(dst, s[i])
		}
	}
	return dst
}

// A Resolver turns the references of a document into URIs, as browsers do (URL Standard §4.4): relative to a base, with paths in UTF-8, hosts in
// A-labels, and queries in the encoding of the document. Of the schemes http, https, ftp and file, a backslash before the query is a slash, and the
// scheme of the base may be repeated before a relative reference. The references must be decoded to UTF-8.
type Resolver struct {
	Base URI
	// Query encodes the query of a reference, which has characters beyond ASCII, in the encoding of the document. It returns ASCII, with the
	// other characters unchanged. A nil Query means UTF-8. It applies to URIs of the same four schemes; others are always UTF-8.
	Query func(text string) string
}

// TrimRef returns a reference without the white space that HTML ignores (URL Standard §4.4): around it, and line ends and tabs within.
func TrimRef(ref string) string {
	ref = strings.TrimFunc(ref, func(c rune) bool { return c <= ' ' })
	if strings.ContainsAny(ref, "\t\r\n") {
		ref = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(ref)
	}
	return ref
}

// Resolve returns the ASCII form of the URI to which ref refers, without the white space that TrimRef removes. It returns an *Error if ref is not a
// URI reference.
func (r Resolver) Resolve(ref string) (URI, error) {
	ref = TrimRef(ref)
	n, _, _ := scanScheme(ref)
	mode, special := RFC3986, r.isSpecial(ref[:n])
	if special {
		mode = RFC3986Compat
		path, _, _ := strings.Cut(ref, "#")
		path, _, _ = strings.Cut(path, "?")
		ref = strings.ReplaceAll(path, `\`, "/") + ref[len(path):]
	}
	u, err := Parse(ref)
	if err != nil {
		return u, err
	}
	if q, ok := u.Query(); ok && special && r.Query != nil && !ascii(string(q)) {
		if u, err = Parse(u.s[:u.query+1] + r.Query(string(q)) + u.s[u.frag:]); err != nil {
			return u, err
		}
	}
	return mode.Resolve(r.Base, u).ASCII(), nil
}

// isSpecial reports whether the URI of a reference with that scheme, "" for none, has one of the URL Standard's special schemes.
func (r Resolver) isSpecial(scheme string) bool {
	switch cmp.Or(strings.ToLower(scheme), r.Base.Scheme()) {
	case "http", "https", "ftp", "file":
		return true
	}
	return false
}
