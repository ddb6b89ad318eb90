package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// refuse returns the status and reason that a request is refused with, 0 if it is not. net/http has refused by then what is no
// HTTP, two Host fields, and lengths that contradict each other (RFC 9112 sections 3.2 and 6.3).
func (g *Gateway) refuse(r *http.Request) (status int, why string) {
	switch {
	case r.Method == http.MethodConnect:
		return http.StatusMethodNotAllowed, "this proxy opens no tunnels"
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, "this gateway only reads: GET and HEAD"
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		return http.StatusBadRequest, "a request to read has no body"
	case r.URL.Scheme != "":
		return 0, "" // a page cannot make a browser ask a proxy that its user has not chosen
	case !g.isOwnName(r.Host):
		return http.StatusMisdirectedRequest, "this gateway is not called that"
	case isForeign(r) && !isNavigation(r) && !g.isOwnLink(r):
		return http.StatusForbidden, "a page of another site asked for this by itself"
	}
	return 0, ""
}

// isOwnName keeps pages of other sites from becoming ours by changing what their name's address is. Who reaches us by an address
// cannot have been brought here by a name.
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

// isForeign reports whether a page of another site made the request. Programs, and browsers of before 2020, say nothing of it.
func isForeign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return true
}

// isNavigation reports whether the request is for what the reader will see as a page.
func isNavigation(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
