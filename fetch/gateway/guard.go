package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// refuse returns the status and reason for refusing a request, or 0. net/http has already refused invalid HTTP, two Host fields, and
// contradictory lengths (RFC 9112 sections 3.2 and 6.3).
func (g *Gateway) refuse(r *http.Request) (status int, why string) {
	answers := isAnswers(r)
	switch {
	case r.Method == http.MethodConnect:
		return http.StatusMethodNotAllowed, "this proxy does not open tunnels"
	case r.Method != http.MethodGet && r.Method != http.MethodHead && !answers:
		return http.StatusMethodNotAllowed, "this gateway only reads: GET and HEAD"
	case !answers && (r.ContentLength != 0 || len(r.TransferEncoding) > 0):
		return http.StatusBadRequest, "GET and HEAD requests must not have a body"
	case r.URL.Scheme != "":
		return 0, "" // a page cannot make a browser use a proxy that its user has not configured
	case !g.isOwnName(r.Host) && (r.Host != "" || r.ProtoAtLeast(1, 1)): // clients of HTTP/1.0 that send no Host are too old for rebinding
		return http.StatusMisdirectedRequest, "not the name of this gateway"
	case isForeign(r) && !isNavigation(r) && !g.isOwnLink(r):
		return http.StatusForbidden, "requested by a page of another site without a click"
	}
	return 0, ""
}

// isOwnName prevents DNS rebinding, by which pages of other sites would become ours. A request to a literal address cannot result from
// rebinding a name.
func (g *Gateway) isOwnName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	return slices.ContainsFunc(g.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// isForeign reports whether a page of another site made the request. Programs, and browsers before 2020, do not send the field.
func isForeign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return true
}

// isNavigation reports whether the result will be shown as a page.
func isNavigation(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
