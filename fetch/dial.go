package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
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

	byDialer bool // set by dial: the Client's Dialer made the connection
}

// Dial connects to addr ("host:port"). The connection belongs to this request: it is closed with the Document, unless a Lease has taken it over.
// network is "tcp". Dial looks the host up, checks its addresses against the Policy, and connects, all within Timeouts.Connect.
func (e *Env) Dial(ctx context.Context, network, addr string, o *DialOptions) (*Conn, error) {
	var own DialOptions
	if o != nil {
		own = *o
	}
	o = &own
	host, port, err := e.checkTarget(addr, o.Near)
	if err != nil {
		return nil, err
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
	nc, err := e.connect(ctx, network, target, port, o)
	if err = e.waited(phase, err); err != nil {
		e.note(id, MarkRefused, "not connected to %s: %v", addr, err)
		return nil, err
	}
	c := e.wrap(ctx, nc, host, port, id)
	c.near, c.rtt = o.Near, time.Since(began) // with the lookup: an upper bound
	switch {
	case !o.byDialer:
	case o.At.IsValid():
		c.addr = &net.TCPAddr{IP: o.At.AsSlice(), Port: port}
	default:
		c.addr = &net.TCPAddr{IP: net.ParseIP(host), Port: port}
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
func (e *Env) target(network, host string, port int, o *DialOptions) Target {
	t := Target{Scheme: e.plan.URI.Scheme(), Network: network}
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
	return t.at(net.JoinHostPort(host, strconv.Itoa(port)))
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
	case strings.Contains("."+strings.TrimSuffix(host, ".")+".", ".."):
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

// connectOnce opens the connection; proxy is the identity at a proxy that has asked for it, or nil. No TCP connection begins anywhere else.
func (e *Env) connectOnce(ctx context.Context, network, host string, port int, o *DialOptions, proxy *Identity) (net.Conn, error) {
	c := e.client
	ctx, cancel := withTimeout(ctx, c.timeouts.Connect)
	defer cancel()
	var nc net.Conn
	err := c.withDescriptor(ctx, func() (err error) { nc, err = e.dial(ctx, network, host, port, o, proxy); return err })
	if err != nil {
		return nil, connectError(ctx, err)
	}
	return nc, nil
}

// dial uses the Client's Dialer, if it has one, or else the system's.
func (e *Env) dial(ctx context.Context, network, host string, port int, o *DialOptions, proxy *Identity) (nc net.Conn, err error) {
	c := e.client
	t := e.target(network, host, port, o)
	if r, ok := c.Policy.Match(t); ok && r.Deny {
		return nil, deniedBy(r, t)
	}
	if c.Policy.UnixSocket != "" {
		return e.dialUnix(ctx, t, port, o)
	}
	if c.Dialer != nil || o.For != "" {
		d := &dialing{Env: e, target: t, port: port, proxy: proxy}
		if err := d.check(ctx, cmp.Or(o.For, host)); err != nil {
			return nil, err
		}
		if c.Dialer != nil {
			e.callback(func() {
				nc, err = c.Dialer(context.WithValue(ctx, dialerKey{}, d), network, net.JoinHostPort(host, strconv.Itoa(port)))
			})
		}
		if nc != nil || err != nil {
			o.byDialer = nc != nil
			return d.checked(nc, err)
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
			return nil, err
		}
		if isLocalhost(host) && c.Policy.fixed(host, strconv.Itoa(port)) == nil {
			host = "localhost"
		}
	}
	nc, err = c.names.Dial(ctx, host, strconv.Itoa(port), func(ctx context.Context, target string) (nc net.Conn, err error) {
		e.mark(&e.times.Lookup)
		err = c.withDescriptor(ctx, func() error { nc, err = c.dialDirect(ctx, network, target, o.LowPort, e.keepAlive()); return err })
		return nc, err
	})
	if err != nil && ctx.Err() != context.Canceled && KindOf(err) != ErrDenied {
		c.names.Failed(host)
	}
	return nc, err
}

// dialedAddr returns the address of the peer, in a form that can be dialed again.
func (c *Conn) dialedAddr() string {
	if a, ok := c.raw.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap().String()
	}
	return c.host
}

// keepAlive returns the interval of the system's probes, negative for none: they cost four calls, and Timeouts.Idle may end the wait before
// they could show anything.
func (e *Env) keepAlive() time.Duration {
	if idle := e.client.timeouts.Idle; idle > 0 && idle <= probeTime && e.plan.Options.Op != Attach {
		return -1
	}
	return 0
}

// RoundTrip returns how long connecting took, including the lookup: at least a round trip.
func (c *Conn) RoundTrip() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rtt
}

// KeepAlive makes the system probe the connection while it is idle, whatever Timeouts.Idle is. It is for a connection on which nothing is due
// while another is busy, such as the control connection of FTP. Address translators forget an idle connection after a minute or two.
func (c *Conn) KeepAlive() {
	if k, ok := c.raw.Conn.(interface {
		SetKeepAliveConfig(net.KeepAliveConfig) error
	}); ok {
		k.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true})
	}
}

// probeTime is how long the probes that package net requests take to find that a peer is dead: 15 s, and 9 times 15 s.
const probeTime = 150 * time.Second

// dialDirect connects to an address.
func (c *Client) dialDirect(ctx context.Context, network, target string, lowPort bool, keepAlive time.Duration) (net.Conn, error) {
	d := net.Dialer{ControlContext: c.guard, KeepAlive: keepAlive}
	if lowPort {
		for port := 1023; port >= 512; port-- {
			d.LocalAddr = &net.TCPAddr{Port: port}
			nc, err := d.DialContext(ctx, network, target)
			if err == nil {
				return nc, nil
			}
			if socket.IsPortForbidden(err) {
				break
			}
			if !socket.IsPortTaken(err) {
				return nil, err
			}
		}
		d.LocalAddr = nil
	}
	return d.DialContext(ctx, network, target)
}

// dialPath connects to a Unix socket, which dialUnix has checked.
func dialPath(ctx context.Context, path string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", path)
}

// guard checks each address that the system's dialer is about to contact, after name resolution.
func (c *Client) guard(ctx context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return Errorf(ErrDenied, "the address %q cannot be checked", address)
	}
	if near, ok := ctx.Value(nearKey{}).(*Conn); ok && slices.Contains(c.Policy.AllowServers, near.peer()) && near.peer().Addr() == ap.Addr().Unmap() {
		return nil // a data connection of an allowed server, whose port only the server knows
	}
	d, ok := ctx.Value(socketKey{}).(*dialing)
	if !ok {
		return c.Policy.checkAddr(ap)
	}
	t := d.target
	t.Addr = ap.Addr().Unmap()
	return c.Policy.checkSocket(ctx, t, int(ap.Port()), d.ports())
}

// nearKey is the context key of the control connection of a data connection.
type nearKey struct{}

// peer returns the address and port that c is connected to. It returns the zero AddrPort if c is not a TCP connection.
func (c *Conn) peer() netip.AddrPort {
	a, ok := c.raw.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(a.AddrPort().Addr().Unmap(), uint16(a.Port))
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
	c.bind(e)
	e.mu.Lock()
	e.opened++
	e.mu.Unlock()
	return c
}

// serverAt returns the address of the server to which c is connected. It returns the zero Addr if only a proxy knows it, or if c is a
// connection to a proxy that fetches documents itself, perhaps from several servers.
func (e *Env) serverAt(c *Conn, o *DialOptions) netip.Addr {
	a, ok := c.addr.(*net.TCPAddr)
	if !ok || o.For != "" || e.client.Policy.UnixSocket != "" {
		return netip.Addr{}
	}
	ip, ok := netip.AddrFromSlice(a.IP) // without the zone, which is of this machine
	if !ok || ip.IsUnspecified() {
		return netip.Addr{}
	}
	return ip.Unmap()
}

// note puts a remark of the Client into the trace.
func (e *Env) note(conn int, m Mark, format string, args ...any) {
	e.trail(Event{Conn: conn, Mark: m}, format, args...)
}

// trail puts a remark of the Client into the trace, with the fields of x.
func (e *Env) trail(x Event, format string, args ...any) {
	if e.trace == nil {
		return
	}
	text := oneLine(fmt.Sprintf(format, args...))
	switch x.Mark {
	case MarkRandom: // a replay uses these bytes again, and they contain no secret
	case MarkOpen, MarkListen, MarkTLS: // addresses and versions, which a replay parses
		text = e.secrets.MaskDistinctive(text)
	default:
		text = e.secrets.MaskText(text)
	}
	x.Time, x.Dir, x.Note = now(), InWords, text
	e.trace(x)
}

// number returns the number of a new connection.
func (c *Client) number() int { return int(c.numbers.Add(1)) }
