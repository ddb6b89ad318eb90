package cache

import (
	"net/textproto"
	"slices"
	"strings"
)

// needed lists the fields without which the cache would misinterpret a response.
var needed = [...]string{"Age", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Etag", "Expires", "Last-Modified",
	"Location", "Vary"}

// connectionFields lists the fields of a connection or proxy, which are not part of the response. RFC 9110 section 7.6.1, RFC 9111 section
// 3.1.
var connectionFields = [...]string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// credentialFields lists the fields that are secrets of one user. The jar has them, and other readers of the directory must not get them.
var credentialFields = [...]string{"Set-Cookie", "Set-Cookie2"}

// bodyFields lists the fields that describe the stored body, which a response without a body does not replace. RFC 9111 section 3.2.
var bodyFields = [...]string{"Content-Encoding", "Content-Length", "Content-Range", "Content-Type"}

// strip removes the fields that must not be stored: those of the connection, those that Connection names, the credentials, and those that
// no-cache names, which must not be used again without revalidation (RFC 9111 section 5.2.2.4).
func strip(header map[string][]string) {
	for _, name := range named(header) {
		delete(header, name)
	}
	for _, list := range [...][]string{connectionFields[:], credentialFields[:]} {
		for _, name := range list {
			delete(header, name)
		}
	}
}

// named returns the fields that Connection and no-cache name.
func named(header map[string][]string) (names []string) {
	lines := slices.Clone(header["Connection"])
	if fields := directives(header)["no-cache"]; isQualified(fields) {
		lines = append(lines, fields)
	}
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			if name = textproto.CanonicalMIMEHeaderKey(strings.Trim(name, " \t")); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// isQualified reports whether no-cache applies only to some fields, none of which is needed to interpret the response.
func isQualified(fields string) bool {
	return strings.Trim(fields, ", \t") != "" && !needs(fields)
}

func needs(fields string) bool {
	for name := range strings.SplitSeq(fields, ",") {
		if slices.Contains(needed[:], textproto.CanonicalMIMEHeaderKey(strings.Trim(name, " \t"))) {
			return true
		}
	}
	return false
}
