package proxy

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"example.org/deref/fetch/policy"
	"example.org/deref/uri"
)

// A Table determines the proxy for each host and scheme. It must not be changed after its first use; the zero Table uses none.
type Table struct {
	All     *Proxy            // for every scheme that Schemes does not contain
	Schemes map[string]*Proxy // by scheme, "http", "https"
	Bypass  []string          // hosts without a proxy: NAME (with its subdomains), .NAME, ADDRESS, CIDR, each also with :PORT; "*" is all
	Direct  bool              // no proxy for this machine itself, as usual for proxies in the environment

	// Passed, if set, is called each time that Direct, and not an entry of Bypass, makes a request to host:port avoid the proxy.
	Passed func(p *Proxy, addr string)

	// Connect connects to a proxy; nil is the system's dialer. The address policy of the Client does not apply to it, since the user
	// has configured the proxy.
	Connect func(ctx context.Context, network, addr string) (net.Conn, error)
}

// ParseBypass parses a list as in no_proxy, separated by commas or blanks.
func ParseBypass(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// proxyFor returns the proxy for connections of scheme to host:port, or nil.
func (t *Table) proxyFor(scheme, addr string) *Proxy {
	p, named := t.Schemes[scheme]
	if !named {
		p = t.All
	}
	if p == nil {
		return nil
	}
	switch listed, local := t.bypasses(addr); {
	case local && !listed && t.Passed != nil:
		t.Passed(p, addr)
		return nil
	case listed || local:
		return nil
	}
	return p
}

// bypasses reports whether Bypass lists addr, and whether Direct exempts it.
func (t *Table) bypasses(addr string) (listed, local bool) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false, false
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	a, _ := netip.ParseAddr(host)
	a = a.Unmap().WithZone("") // as those of a list
	local = t.Direct && (policy.IsLocalhost(host) || a.IsLoopback())
	for _, entry := range t.Bypass {
		if matches(strings.ToLower(entry), host, port, a) {
			return true, local
		}
	}
	return false, local
}

// matches follows golang.org/x/net/http/httpproxy, which itself follows curl and wget.
func matches(entry, host, port string, a netip.Addr) bool {
	if entry == "*" {
		return true
	}
	if h, p, err := net.SplitHostPort(entry); err == nil && isPort(p) {
		if p != port {
			return false
		}
		entry = h
	}
	if net, err := netip.ParsePrefix(entry); err == nil {
		return net.Contains(a)
	}
	if b, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
		return a == b.Unmap().WithZone("")
	}
	name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(entry, "*"), "."), ".") // as the host
	if name == "" || a.IsValid() {
		return false
	}
	return host == name && !strings.HasPrefix(entry, ".") && !strings.HasPrefix(entry, "*") || strings.HasSuffix(host, "."+name)
}

func isPort(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && n < 65536
}

// HTTP returns the HTTP proxy that fetches u itself, if u is an http URI. It is zero if there is none.
func (t *Table) HTTP(u uri.URI) uri.URI {
	if u.Scheme() != "http" {
		return uri.URI{}
	}
	addr, err := u.HostPort(80)
	if err != nil {
		return uri.URI{}
	}
	if p := t.proxyFor("http", addr); p != nil && p.relays() {
		return p.uri
	}
	return uri.URI{}
}
