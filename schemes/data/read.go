package data

import (
	"encoding/base64"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// defaultType is the type of an object that names none (RFC 2397 §2).
const defaultType = "text/plain;charset=US-ASCII"

// A reading is a data URI taken apart.
type reading struct {
	Scheme string       `json:"scheme"`
	Type   string       `json:"type"`
	Reason string       `json:"-"`
	Base64 bool         `json:"base64"`
	Data   fetch.Octets `json:"data"`
}

// read takes u apart. A question mark is data: the scheme has no hierarchy (RFC 2397 §3: dataurl holds uric).
func read(u uri.URI) (*reading, error) {
	head, body, ok := strings.Cut(string(u.Opaque()), ",")
	if !ok {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "a data URI has a comma before its octets")
	}
	r := &reading{Scheme: u.Scheme()}
	head, r.Base64 = cutBase64(head)
	r.Type, r.Reason = mediaType(head)
	octets := uri.Escaped(body).Decode()
	if r.Base64 {
		b, err := decode(octets)
		if err != nil {
			return nil, err
		}
		octets = string(b)
	}
	r.Data = fetch.Octets(octets)
	return r, nil
}

// cutBase64 takes ";base64" from the end, where alone it is no parameter.
func cutBase64(head string) (string, bool) {
	const mark = ";base64"
	if n := len(head) - len(mark); n >= 0 && strings.EqualFold(head[n:], mark) {
		return head[:n], true
	}
	return head, false
}

func mediaType(head string) (mediaType, reason string) {
	switch {
	case head == "":
		return defaultType, "the default of data URIs"
	case head[0] == ';': // "As a shorthand, text/plain can be omitted but the charset parameter supplied."
		head = "text/plain" + head
	}
	t := uri.Escaped(head).Decode()
	if !isType(t) {
		return defaultType, "what the URI names is no media type"
	}
	return t, "the URI"
}

// isType judges type/subtype and its parameters: tokens, and nothing that could leave a header line.
func isType(t string) bool {
	bare, _, _ := strings.Cut(t, ";")
	major, minor, ok := strings.Cut(bare, "/")
	return ok && isToken(major) && isToken(minor) && strings.IndexFunc(t, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

// isToken judges a token of RFC 2045 §5.1.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?=`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// decode is the forgiving-base64 decode of the WHATWG's Infra standard §7.
func decode(s string) ([]byte, error) {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\t\n\f\r ", r) {
			return -1
		}
		return r
	}, s)
	if len(s)%4 == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	}
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the octets are no base64: %w", err)
	}
	return b, nil
}
