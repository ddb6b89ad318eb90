package fetch

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch/policy"
)

// checkTarget splits addr and returns an error if it must not be contacted. It sends nothing.
func (e *Env) checkTarget(addr string, near *Conn) (host string, port int, err error) {
	host, p, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, Errorf(ErrRefusedURL, "%q is not a host and port", addr)
	}
	if port, err = strconv.Atoi(p); err != nil {
		return "", 0, Errorf(ErrRefusedURL, "%q is not a port", p)
	}
	if near != nil {
		host = near.host
	}
	if err := checkHost(host); err != nil {
		return "", 0, err
	}
	if near == nil && e.client.Policy.mayAllowPort(e.target("tcp", host, port, nil), port) {
		return host, port, nil
	}
	return host, port, e.client.Policy.checkPort(port, e.ports()...)
}

// target returns what the Policy decides about: a server, of a data connection the server of the control connection, or with a proxy that
// the user has named the server whose documents are requested.
func (e *Env) target(network, host string, port int, o *DialOptions) policy.Target {
	t := policy.Target{Scheme: e.plan.URI.Scheme(), Network: network}
	if o == nil {
		o = &DialOptions{}
	}
	switch {
	case o.For != "":
		if planned := targetOf(e.plan, e.scheme); strings.EqualFold(planned.Host, strings.Trim(o.For, "[]")) {
			port = planned.Port
		}
		host = strings.Trim(o.For, "[]")
	case o.Near != nil:
		if near, ok := o.Near.addr.(*net.TCPAddr); ok {
			port = near.Port
		}
		if o.At.IsValid() {
			host = o.At.String()
		}
	}
	return t.At(net.JoinHostPort(host, strconv.Itoa(port)))
}

// ports returns the well-known ports of the request's scheme.
func (e *Env) ports() []int {
	return append(slices.Clip(e.scheme.Ports), e.scheme.Rules.DefaultPort)
}

// checkHost returns an error for names that other programs could treat as an option, and for those that no resolver can look up: with bytes that no
// name contains, with letters without an A-label form (RFC 5891), which URI.Hostname leaves, or with empty labels (RFC 1035 section 3.1). A host
// of ignorable characters, such as U+200B, is one of the last two.
func checkHost(host string) error {
	switch {
	case host == "":
		return Errorf(ErrRefusedURL, "no host")
	case host[0] == '-':
		return Errorf(ErrRefusedURL, "a host cannot begin with a hyphen")
	case len(host) > 255:
		return Errorf(ErrRefusedURL, "the host name is longer than 255 bytes")
	case strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`/\@?#"<>`, r) }):
		return Errorf(ErrRefusedURL, "a host cannot contain blanks, controls or delimiters")
	case host[0] == '.', strings.Contains(host, ".."):
		return Errorf(ErrRefusedURL, "the host %s has an empty label", strconv.QuoteToASCII(host))
	case !isLiteral(host) && strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }):
		return Errorf(ErrRefusedURL, "the host %s has no ASCII form to look up", strconv.QuoteToASCII(host))
	}
	return nil
}

// isLiteral reports whether host is an IP address, with any zone.
func isLiteral(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}
