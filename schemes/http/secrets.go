package http

import (
	"encoding/base64"
	"strings"

	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
)

// minSecret is the length of the shortest cookie value that is hidden. Shorter ones can be guessed, and usually are a choice (lang=en).
const minSecret = 6

// hide hides the secret fields of the request, and those parts of them that a server may return.
func (x *exchange) hide(lines []fetch.Step) {
	for _, l := range lines {
		if !l.Secret {
			continue
		}
		value := strings.Join(l.Args, " ")
		for _, s := range secretsIn(strings.TrimSuffix(l.Verb, ":"), value) {
			x.env.Hide(s)
		}
		if x.s.h2 != nil {
			x.env.Hide(string(hpack.AppendHuffmanString(nil, value))) // as HPACK may encode it (RFC 7541 section 5.2)
		}
	}
}

// secretsIn returns the secrets in a field: credentials without their scheme (RFC 9110 section 11.4), the password of Basic, the parameters
// of Digest, and the values of cookies.
func secretsIn(name, value string) []string {
	list := []string{value}
	switch name = strings.ToLower(name); name {
	case "cookie":
		return append(list, longValues(value, ";")...)
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
		return append(list, longValues(token, ",")...) // the response of Digest allows guessing the password
	}
	if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
		_, password, _ := strings.Cut(string(plain), ":") // RFC 7617 section 2
		list = append(list, string(plain), password)
	}
	return list
}

// longValues returns the values in a list of NAME=VALUE that are secret and long enough.
func longValues(list, separator string) (out []string) {
	for pair := range strings.SplitSeq(list, separator) {
		key, v, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if v = strings.Trim(v, ` "`); ok && len(v) >= minSecret && !isPublic(key) {
			out = append(out, v)
		}
	}
	return out
}

// isPublic reports whether a parameter of Digest repeats what the server or the request line contains: RFC 7616 section 3.4.
func isPublic(key string) bool {
	switch strings.ToLower(key) {
	case "username", "username*", "realm", "uri", "nonce", "nc", "qop", "algorithm", "opaque", "userhash":
		return true
	}
	return false
}
