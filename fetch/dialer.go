package fetch

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"

	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/policy"
)

// A dialing is a connection that is being made.
type dialing struct {
	*Env
	target policy.Target
	port   int         // of the socket; target has another one for a data connection
	strict bool        // the address must be checked, and has not been
	passed atomic.Bool // CheckDial has allowed an address
	proxy  *Identity   // at a proxy that has asked for it, or nil
}

// dialerKey is the context key of the dialing for which a Dialer or Datagrams is called, socketKey that of one for the Client's own socket.
type (
	dialerKey struct{}
	socketKey struct{}
)

// SchemeOf returns the scheme of the request for which a Client's Dialer was called with ctx. Package proxy chooses the proxy by it.
func SchemeOf(ctx context.Context) string {
	if d, ok := ctx.Value(dialerKey{}).(*dialing); ok {
		return d.scheme.Name()
	}
	return ""
}

// NoteProxy puts a line of a Dialer's conversation with a proxy into the trace of the request for which it was called with ctx.
func NoteProxy(ctx context.Context, line string) {
	if d, ok := ctx.Value(dialerKey{}).(*dialing); ok && d.callerTrace != nil {
		d.callerTrace(Event{Time: now(), Dir: InWords, Mark: MarkProxy, Note: d.secrets.MaskText(oneLine(line))})
	}
}

// CheckDial returns the error of the Policy about an address to which a Dialer is going to connect. A Dialer that resolves names itself calls
// it with the ctx that it was called with, for each address, and connects to none that has an error. It returns nil if ctx is another one.
func CheckDial(ctx context.Context, to netip.AddrPort) error {
	d, ok := ctx.Value(dialerKey{}).(*dialing)
	if !ok {
		return nil
	}
	t := d.target
	t.Addr = to.Addr().Unmap()
	err := d.client.Policy.checkSocket(ctx, t, int(to.Port()), d.scheme)
	if err == nil {
		d.passed.Store(true)
	}
	return err
}

// CheckDialByName returns an error, with a *policy.UncheckedError as its cause, if a Dialer must not leave it to others to resolve the name that it
// was called with, because the Policy has rules about addresses. A Dialer for proxies calls it before it connects to one.
func CheckDialByName(ctx context.Context) error {
	if d, ok := ctx.Value(dialerKey{}).(*dialing); ok && d.strict {
		return d.unchecked()
	}
	return nil
}

// check decides about a host that the Dialer gets. A name is allowed for now, since the Dialer may leave the connection to the Client.
func (d *dialing) check(ctx context.Context, host string) error {
	p, t := &d.client.Policy, d.target
	if t.Addr.IsValid() {
		return p.checkSocket(ctx, t, d.port, d.scheme)
	}
	d.strict = !p.TrustDialer && p.checksAddresses(t)
	if decided, err := p.judge(ctx, t); decided || err != nil {
		return err
	}
	return p.checkLiteral(host, d.port) // spellings of addresses that only old resolvers accept
}

// checked returns the connection of a Dialer, or an error if it was made to an address that should have been checked.
func (d *dialing) checked(nc net.Conn, err error) (net.Conn, error) {
	if nc == nil || !d.strict || d.passed.Load() {
		return nc, err
	}
	nc.Close()
	return nil, d.unchecked()
}

func (d *dialing) unchecked() error {
	unchecked := &policy.UncheckedError{Host: d.target.Host, Port: d.target.Port}
	return &Error{Kind: ErrDenied, Text: unchecked.Error(), Hint: hint.TrustDialer, Err: unchecked}
}
