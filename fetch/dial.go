package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// DialOptions are options of Env.Dial. nil means a connection without TLS, recorded as RecordOctets.
type DialOptions struct {
	TLS     bool       // TLS from the first byte, verified for the host
	Record  RecordMode // how its bytes are reported
	Near    *Conn      // for a data connection: uses this connection's address in place of addr, its TLS name, and offers its TLS session
	At      netip.Addr // with Near: connects to this address, which the Policy checks as usual
	LowPort bool       // from a port below 1024 if the system allows it, else from any
	ALPN    []string   // protocols offered within TLS
	For     string     // the host whose documents are requested, if addr is a proxy that the user has named: the address policy applies to that host

	Certificate *tls.Certificate // presented if the server requests one
}

// Dial connects to addr ("host:port"). The connection belongs to this request: it is closed with the Document, unless a Lease has taken it over.
// network is "tcp". Dial looks the host up, checks its addresses against the Policy, and connects, all within Timeouts.Connect.
func (e *Env) Dial(ctx context.Context, network, addr string, o *DialOptions) (*Conn, error) {
	if o == nil {
		o = &DialOptions{}
	}
	host, port, err := e.checkTarget(addr, o.Near)
	if err != nil {
		return nil, err
	}
	if !mayDial(ctx) {
		return nil, errNotShared
	}
	id := e.client.number()
	began := time.Now()
	target := host
	if o.At.IsValid() {
		target = o.At.String()
	}
	phase := PendingConnection
	if o.Near != nil {
		phase = PendingData
		o.Near.hasData()
	}
	e.waitsFor(phase)
	nc, byDialer, err := e.connect(ctx, network, target, port, o)
	if err = e.waited(phase, err); err != nil {
		e.note(id, MarkRefused, "not connected to %s: %v", addr, err)
		return nil, err
	}
	c := e.wrap(ctx, nc, host, port, id)
	c.near, c.rtt = o.Near, time.Since(began) // with the lookup: an upper bound
	if byDialer {
		c.addr = &net.TCPAddr{IP: net.ParseIP(target), Port: port}
	}
	if o.Near == nil {
		e.connected(c)
	}
	c.Record(o.Record)
	e.trail(Event{Conn: id, Mark: MarkOpen, Server: e.serverAt(c, o)}, "connected to %s", c.addr)
	if o.TLS && !c.isPlayback() {
		if err := e.handshake(ctx, c, o); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// A Playback is a connection of a Dialer that replays bytes recorded inside TLS, so that no TLS is used on it.
type Playback interface {
	net.Conn
	IsPlayback()
}

func (c *Conn) isPlayback() bool {
	_, ok := c.raw.Conn.(Playback)
	return ok
}

// connectOnce opens the connection, as dial does; proxy is the identity at a proxy that has asked for it, or nil. No TCP connection begins
// anywhere else.
func (e *Env) connectOnce(ctx context.Context, network, host string, port int, o *DialOptions, proxy *Identity) (nc net.Conn, byDialer bool, err error) {
	c := e.client
	ctx, cancel := withTimeout(ctx, c.timeouts.Connect)
	defer cancel()
	err = c.withDescriptor(ctx, func() (err error) { nc, byDialer, err = e.dial(ctx, network, host, port, o, proxy); return err })
	if err != nil {
		return nil, false, connectError(ctx, err)
	}
	return nc, byDialer, nil
}

// dial uses the Client's Dialer, if it has one, or else the system's. byDialer reports that the Client's Dialer made the connection.
func (e *Env) dial(ctx context.Context, network, host string, port int, o *DialOptions, proxy *Identity) (nc net.Conn, byDialer bool, err error) {
	c := e.client
	t := e.target(network, host, port, o)
	if err := c.Policy.denied(t); err != nil {
		return nil, false, err
	}
	if c.Policy.UnixSocket != "" {
		nc, err = e.dialUnix(ctx, t, port, o)
		return nc, false, err
	}
	if c.Dialer != nil || o.For != "" {
		d := &dialing{Env: e, target: t, port: port, proxy: proxy}
		if err := d.check(ctx, cmp.Or(o.For, host)); err != nil {
			return nil, false, err
		}
		if c.Dialer != nil {
			e.callback(func() {
				nc, err = c.Dialer(context.WithValue(ctx, dialerKey{}, d), network, net.JoinHostPort(host, strconv.Itoa(port)))
			})
		}
		if nc != nil || err != nil {
			nc, err = d.checked(nc, err)
			return nc, nc != nil, err
		}
	}
	if o.For == "" { // else the connection is one to a proxy that the user has named
		ctx = context.WithValue(ctx, socketKey{}, &dialing{Env: e, target: t, port: port})
	}
	switch {
	case o.At.IsValid(): // unchanged: the exemption of Near's server does not extend to other hosts
	case o.Near != nil:
		host = o.Near.dialedAddr()
		ctx = context.WithValue(ctx, nearKey{}, o.Near)
	default:
		if host, port, err = e.redirected(host, port); err != nil {
			return nil, false, err
		}
		host = c.lookedUp(host, port)
	}
	nc, err = c.names.Dial(ctx, host, strconv.Itoa(port), func(ctx context.Context, target string) (net.Conn, error) {
		e.mark(&e.times.Lookup)
		return c.dialDirect(ctx, network, target, o.LowPort, e.keepAlive())
	})
	if err != nil && ctx.Err() != context.Canceled && KindOf(err) != ErrDenied && !socket.IsExhausted(err) {
		c.names.Failed(host)
	}
	return nc, false, err
}

// RoundTrip returns how long connecting took, including the lookup: at least a round trip.
func (c *Conn) RoundTrip() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rtt
}

// wrap returns a Conn for the raw connection. It belongs to the request, and to the session that is being opened.
func (e *Env) wrap(ctx context.Context, nc net.Conn, host string, port, id int) *Conn {
	raw := socket.New(nc)
	c := &Conn{limits: e.client.limits, timeouts: e.client.timeouts, buffers: &e.client.buffers, id: id, net: raw, raw: raw, host: host, addr: nc.RemoteAddr(), out: tap{dir: FromClient}, in: tap{dir: FromServer}}
	if _, ok := c.addr.(*net.TCPAddr); !ok {
		c.addr = &net.TCPAddr{IP: net.ParseIP(host), Port: port}
	}
	if s, ok := ctx.Value(opening{}).(*session); ok {
		s.conns = append(s.conns, c)
	}
	c.bind(&e.self)
	e.mu.Lock()
	e.opened++
	e.mu.Unlock()
	return c
}

// connectError sets the kind of an error of connecting, even if the Client's Dialer has wrapped it.
func connectError(ctx context.Context, err error) error {
	if KindOf(err) != "" {
		if op, ok := err.(*net.OpError); ok { // package net has put text before the guard's
			return op.Err
		}
		return err
	}
	e := Errorf(ErrConnect, "%w", err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	isDNS = isDNS && !dns.IsTimeout
	if op, ok := errors.AsType[*net.OpError](err); ok {
		e.Text = strings.Replace(e.Text, op.Error(), dialCause(op), 1)
	}
	if isDNS {
		e.Kind, e.Text = ErrDNS, strings.Replace(e.Text, dns.Error(), "the host "+dns.Name+" has no address: "+dns.Err, 1)
	}
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		return context.Canceled
	case !isDNS && (ctx.Err() != nil || isTimeout(err)):
		e.Kind, e.Text = ErrTimeout, "no connection in time: "+e.Text
	}
	return e
}

// dialCause returns an error of package net in the style of the other errors, without the names of system calls.
func dialCause(op *net.OpError) string {
	cause := op.Err
	if call, ok := errors.AsType[*os.SyscallError](cause); ok {
		cause = call.Err
	}
	if op.Addr == nil {
		return cause.Error()
	}
	return op.Addr.String() + ": " + cause.Error()
}
