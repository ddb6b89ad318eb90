package cache

import (
	"net/http"
	"slices"
	"strings"
)

// needed lists the fields without which the cache would misinterpret a response.
var needed = [...]string{"Age", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Etag", "Expires", "Last-Modified",
	"Location", "Vary"}

// unstored lists the fields of a connection or proxy, which are not part of the response (RFC 9110 section 7.6.1, RFC 9111 section 3.1), and those
// that are secrets of one user: the jar has them, and other readers of the directory must not get them.
var unstored = [...]string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Set-Cookie", "Set-Cookie2"}

// bodyFields lists the fields that describe the stored body, which a response without a body does not replace. RFC 9111 section 3.2.
var bodyFields = [...]string{"Content-Encoding", "Content-Length", "Content-Range", "Content-Type"}

// strip removes the fields that must not be stored: those of the connection, those that Connection names, the credentials, and those that
// no-cache names, which must not be used again without revalidation (RFC 9111 section 5.2.2.4).
func strip(header map[string][]string) {
	lines := slices.Clone(header["Connection"])
	if fields := directives(header)["no-cache"]; isQualified(fields) {
		lines = append(lines, fields)
	}
	for _, name := range append(named(lines...), unstored[:]...) {
		delete(header, name)
	}
}

// named returns the fields that lists name, in their canonical form.
func named(lists ...string) (names []string) {
	for name := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		if name = http.CanonicalHeaderKey(strings.Trim(name, " \t")); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// isQualified reports whether no-cache applies only to some fields, none of which is needed to interpret the response.
func isQualified(fields string) bool {
	return strings.Trim(fields, ", \t") != "" && !needs(fields)
}

func needs(lists ...string) bool {
	return slices.ContainsFunc(named(lists...), func(name string) bool { return slices.Contains(needed[:], name) })
}
