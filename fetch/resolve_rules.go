package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A Family is a version of the Internet Protocol.
type Family string

const (
	IPv4 Family = "IPv4"
	IPv6 Family = "IPv6"
)

// has reports whether a belongs to the family. All addresses belong to the zero Family.
func (f Family) has(a netip.Addr) bool { return f == "" || a.Unmap().Is4() == (f == IPv4) }

// A Resolve names the addresses of a host, in place of a name lookup. The Policy decides about them as about others.
type Resolve struct {
	Host  string // without regard to case; "*" is every host
	Port  int    // 0 is every port
	Addrs []netip.Addr
}

// A ConnectTo makes connections to one server go to another. Names in the protocol, such as HTTP's Host field and the name in the
// certificate, remain those of the URI, and so do credentials. The Policy decides about both servers.
type ConnectTo struct {
	Host   string // "" is every host
	Port   int    // 0 is every port
	ToHost string // "" is the same host
	ToPort int    // 0 is the same port
}

// sameHost compares host names, and addresses with or without brackets.
func sameHost(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(strings.Trim(a, "[]"), "."), strings.TrimSuffix(strings.Trim(b, "[]"), "."))
}

// fixed returns the addresses that Policy.Resolve has for a host and port. It returns nil if there are none.
func (p *Policy) fixed(host, port string) []netip.Addr {
	for _, every := range [...]bool{false, true} { // an entry for the host takes precedence
		for i := range p.Resolve {
			r := &p.Resolve[i]
			if (r.Port == 0 || strconv.Itoa(r.Port) == port) && (every && r.Host == "*" || !every && sameHost(r.Host, host)) {
				return r.Addrs
			}
		}
	}
	return nil
}

// connectTo returns the server to which a connection to host and port goes.
func (p *Policy) connectTo(host string, port int) (string, int) {
	for _, c := range p.ConnectTo {
		if (c.Host == "" || sameHost(c.Host, host)) && (c.Port == 0 || c.Port == port) {
			return cmp.Or(c.ToHost, host), cmp.Or(c.ToPort, port)
		}
	}
	return host, port
}

// redirected returns the host and port that are dialed for host and port, after it has checked that a port which the Policy names is not that
// of another service.
func (e *Env) redirected(host string, port int) (string, int, error) {
	toHost, toPort := e.client.Policy.connectTo(host, port)
	if toHost == host && toPort == port {
		return host, port, nil
	}
	if err := checkHost(toHost); err != nil {
		return "", 0, err
	}
	t := e.target("tcp", toHost, toPort, nil)
	if r, ok := e.client.Policy.Match(t); ok && r.Deny {
		return "", 0, deniedBy(r, t)
	}
	if e.client.Policy.mayAllowPort(t, toPort) {
		return toHost, toPort, nil
	}
	return toHost, toPort, e.client.Policy.checkPort(toPort, e.ports()...)
}

// dialUnix connects to Policy.UnixSocket in place of the target. A socket without an address cannot be checked against rules about addresses.
func (e *Env) dialUnix(ctx context.Context, t Target, port int, o *DialOptions) (net.Conn, error) {
	if o.Near != nil {
		return nil, Errorf(ErrUnsupported, "a data connection cannot use the Unix socket")
	}
	d := &dialing{Env: e, target: t, port: port}
	if err := d.check(ctx, t.Host); err != nil {
		return nil, err
	}
	if d.strict || e.client.Policy.checksAddresses(t) {
		return nil, Errorf(ErrDenied, "%s is reached by a Unix socket, so rules about addresses cannot be checked", t.name())
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
