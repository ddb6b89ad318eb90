package fetch

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"net"
	"slices"

	"example.org/deref/fetch/policy"
)

// redirected returns the host and port that are dialed for host and port, after it has checked that a port which the Policy names is not that
// of another service.
func (e *Env) redirected(host string, port int) (string, int, error) {
	toHost, toPort := policy.Server(e.client.Policy.ConnectTo, host, port)
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
func (e *Env) dialUnix(ctx context.Context, t policy.Target, port int, o *DialOptions) (net.Conn, error) {
	if o.Near != nil {
		return nil, Errorf(ErrUnsupported, "a data connection cannot use the Unix socket")
	}
	d := &dialing{Env: e, target: t, port: port}
	if err := d.check(ctx, t.Host); err != nil {
		return nil, err
	}
	if d.strict || e.client.Policy.checksAddresses(t) {
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
