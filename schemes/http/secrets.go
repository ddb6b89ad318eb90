package http

import (
	"encoding/base64"
	"strings"

	"example.org/deref/fetch"
)

// leastSecret is the length from which on a cookie's value is kept out of texts by itself: what is shorter can be guessed, and stands for
// a choice (lang=en).
const leastSecret = 6

// hide keeps the fields of the request that are secrets out of texts: whole, and what a server may say back of them.
func (x *exchange) hide(lines []fetch.Step) {
	for _, l := range lines {
		if !l.Secret {
			continue
		}
		value := strings.Join(l.Args, " ")
		for _, s := range parts(strings.TrimSuffix(l.Verb, ":"), value) {
			x.env.Hide(s)
		}
		if x.s.h2 != nil {
			x.env.Hide(string(huffman(value))) // what HPACK makes of it (RFC 7541 section 5.2)
		}
	}
}

// parts are the secrets in a field: of credentials the token without its scheme (RFC 9110 section 11.4), the password in a Basic one, the
// values of a Digest one and of cookies.
func parts(name, value string) []string {
	list := []string{value}
	switch name = strings.ToLower(name); name {
	case "cookie":
		return append(list, values(value, ";")...)
	case "authorization", "proxy-authorization":
	default:
		return list
	}
	scheme, token, ok := strings.Cut(value, " ")
	if token = strings.TrimSpace(token); !ok || token == "" {
		return list
	}
	list = append(list, token)
	if !strings.EqualFold(scheme, "basic") {
		return append(list, values(token, ",")...) // passwords are guessed by the response of Digest
	}
	if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
		_, password, _ := strings.Cut(string(plain), ":") // RFC 7617 section 2
		list = append(list, string(plain), password)
	}
	return list
}

// values are those of a list of NAME=VALUE that are long enough.
func values(list, between string) (out []string) {
	for pair := range strings.SplitSeq(list, between) {
		key, v, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if v = strings.Trim(v, ` "`); ok && len(v) >= leastSecret && !isOpen(key) {
			out = append(out, v)
		}
	}
	return out
}

// isOpen tells the parameters that the server, or the request line, has said before: RFC 7616 section 3.4.
func isOpen(key string) bool {
	switch strings.ToLower(key) {
	case "username", "username*", "realm", "uri", "nonce", "nc", "qop", "algorithm", "opaque", "userhash":
		return true
	}
	return false
}
