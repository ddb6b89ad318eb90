package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// refuse returns the status and reason for refusing a request, or 0. net/http has already refused invalid HTTP, two Host fields, and
// contradictory lengths (RFC 9112 sections 3.2 and 6.3).
func (g *Gateway) refuse(r *http.Request) (status int, why string) {
	switch {
	case r.Method == http.MethodConnect:
		return http.StatusMethodNotAllowed, "this proxy does not open tunnels"
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, "this gateway only reads: GET and HEAD"
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		return http.StatusBadRequest, "GET and HEAD requests must not have a body"
	case r.URL.Scheme != "":
		return 0, "" // a page cannot make a browser use a proxy that its user has not configured
	case !g.isOwnName(r.Host) && (r.Host != "" || r.ProtoAtLeast(1, 1)): // clients of HTTP/1.0 that send no Host are too old for rebinding
		return http.StatusMisdirectedRequest, "not the name of this gateway"
	}
	return 0, ""
}

// isOwnName prevents DNS rebinding, by which pages of other sites would become ours. A request to a literal address cannot result from
// rebinding a name.
func (g *Gateway) isOwnName(host string) bool {
	host = hostname(host)
	if _, err := netip.ParseAddr(host); err == nil || isOfThisMachine(host) {
		return true
	}
	return slices.ContainsFunc(g.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// hostname returns the name or address in a Host field.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// isOfThisMachine reports whether a name or address is one that browsers trust like https (Secure Contexts section 3.1).
func isOfThisMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// isForeign reports whether a request may come from a page of another site, without a click.
//
// Sec-Fetch-Site tells where a request comes from, and no page can set it. Browsers send it to https and to their own machine only. Elsewhere a
// Referer of this gateway is the proof: other pages can omit theirs, but they cannot forge one. A SameSite cookie would prove less, because pages
// of other ports and neighboring hosts are of the same site.
func (g *Gateway) isForeign(r *http.Request) bool {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "none", "same-origin":
		return false
	case "":
		return g.cfg.Archive == nil && !hasOwnReferer(r) && !isProgram(r) // an archive contacts no server
	}
	return !isNavigation(r) || r.Header.Get("Sec-Fetch-User") != "?1"
}

// isNavigation reports whether the result will be shown as a page.
func isNavigation(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// hasOwnReferer reports whether a page of this gateway made the request.
func hasOwnReferer(r *http.Request) bool {
	from, err := url.Parse(r.Referer())
	return err == nil && from.Host == r.Host
}

// isProgram reports whether a request without Sec-Fetch-Site comes from a program on this machine that is not a browser. The name alone does not
// prove it: a server before the gateway may have put it there.
func isProgram(r *http.Request) bool {
	return r.Referer() == "" && isOfThisMachine(hostname(r.Host)) && !strings.HasPrefix(r.UserAgent(), "Mozilla/")
}
