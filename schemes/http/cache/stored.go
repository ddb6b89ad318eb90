package cache

import (
	"net/textproto"
	"slices"
	"strings"
)

// needed are the fields without which the cache would treat a response as something else than it is.
var needed = [...]string{"Age", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Location", "Vary"}

// connectionFields belong to a connection, or to a proxy, and not to the response. RFC 9110 section 7.6.1, RFC 9111 section 3.1.
var connectionFields = [...]string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// credentialFields are what the server gave to one user alone: the jar has it, and the next reader of the directory must not.
var credentialFields = [...]string{"Set-Cookie", "Set-Cookie2"}

// bodyFields describe the stored body, which a response without one does not replace. RFC 9111 section 3.2.
var bodyFields = [...]string{"Content-Encoding", "Content-Length", "Content-Range", "Content-Type"}

// strip removes from header what must not be stored: the fields of the connection and those that Connection names, the credentials, and the fields
// that no-cache names, which may not be used again without asking (RFC 9111 section 5.2.2.4).
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

// isQualified reports whether the value of no-cache is about some fields, none of which is needed to judge the others.
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
