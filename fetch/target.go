package fetch

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch/policy"
)

// checkTarget splits addr and returns an error if it must not be contacted. It sends nothing.
func (e *Env) checkTarget(addr string, near *Conn) (host string, port int, err error) {
	if host, port, err = splitServer(addr); err != nil {
		return "", 0, err
	}
	if near != nil {
		return near.host, port, e.client.Policy.checkPort(port, e.scheme)
	}
	return host, port, e.client.Policy.checkServer(e.target("tcp", host, port, nil), host, port, e.scheme)
}

// splitServer splits addr, "host:port".
func splitServer(addr string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, Errorf(ErrRefusedURL, "%q is not a host and port", addr)
	}
	if port, err = strconv.Atoi(text); err != nil {
		return "", 0, Errorf(ErrRefusedURL, "%q is not a port", text)
	}
	return host, port, nil
}

// checkServer returns an error for a host that must not be looked up, and for a port that is neither allowed for t nor one of s.
func (p *Policy) checkServer(t policy.Target, host string, port int, s *Scheme) error {
	if err := checkHost(host); err != nil {
		return err
	}
	if p.mayAllowPort(t, port) {
		return nil
	}
	return p.checkPort(port, s)
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

// lookedUp returns the name that is looked up for host: one name for all those of this machine, unless the Policy has their addresses.
func (c *Client) lookedUp(host string, port int) string {
	if policy.IsLocalhost(host) && policy.Addresses(c.Policy.Resolve, host, strconv.Itoa(port)) == nil {
		return "localhost"
	}
	return host
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

// redirected returns the host and port that are dialed for host and port, after it has checked that a port which the Policy names is not that
// of another service.
func (e *Env) redirected(host string, port int) (string, int, error) {
	toHost, toPort := policy.Server(e.client.Policy.ConnectTo, host, port)
	if toHost == host && toPort == port {
		return host, port, nil
	}
	t := e.target("tcp", toHost, toPort, nil)
	if err := e.client.Policy.denied(t); err != nil {
		return "", 0, err
	}
	return toHost, toPort, e.client.Policy.checkServer(t, toHost, toPort, e.scheme)
}

// dialUnix connects to Policy.UnixSocket in place of the target. A socket without an address cannot be checked against rules about addresses.
func (e *Env) dialUnix(ctx context.Context, t policy.Target, port int, o *DialOptions) (net.Conn, error) {
	if o.Near != nil {
		return nil, Errorf(ErrUnsupported, "a data connection cannot use the Unix socket")
	}
	d := &dialing{Env: e, target: t, port: port}
	if err := d.check(ctx, t.Host); err != nil {
		return nil, err
	}
	if e.client.Policy.checksAddresses(t) { // whether or not Dialers are trusted
		return nil, Errorf(ErrDenied, "%s is reached by a Unix socket, so rules about addresses cannot be checked", t.Name())
	}
	return dialPath(ctx, e.client.Policy.UnixSocket)
}

// checkPin returns an error if the server's key is not one of Policy.PinnedKeys.
func (p *Policy) checkPin(host string, s tls.ConnectionState) error {
	if len(p.PinnedKeys) == 0 {
		return nil
	}
	if len(s.PeerCertificates) > 0 && slices.Contains(p.PinnedKeys, sha256.Sum256(s.PeerCertificates[0].RawSubjectPublicKeyInfo)) {
		return nil
	}
	return Errorf(ErrTLS, "the public key of %s is not the expected one", host)
}
