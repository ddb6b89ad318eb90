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

// DialOptions say how Env.Dial connects; nil is a plain connection, recorded in octets.
type DialOptions struct {
	TLS     bool       // TLS from the first octet, verified for the host
	Record  RecordMode // how the trace shows it
	Near    *Conn      // a data connection beside this one: same address whatever addr says, same TLS name, its TLS session offered
	At      netip.Addr // with Near: the data connection goes to this address, which the Policy checks like that of any connection
	LowPort bool       // from a port below 1024 where the system lets us, else from an ordinary one
	ALPN    []string   // protocols offered within TLS
	For     string     // the host whose documents are requested, where addr is a proxy that the user named: the address policy is about that host

	Certificate *tls.Certificate // shown if the server asks for one
}

// Dial connects to addr ("host:port") and lends the connection to this request: it is closed with the Document unless a Lease
// took it over. network is "tcp". The host is looked up, checked against the Policy after that, and connected within
// Timeouts.Connect.
func (e *Env) Dial(ctx context.Context, network, addr string, o *DialOptions) (*Conn, error) {
	if o == nil {
		o = &DialOptions{}
	}
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
	nc, err := e.connect(ctx, network, target, port, o)
	if err != nil {
		e.note(id, MarkRefused, "not connected to %s: %v", addr, err)
		return nil, err
	}
	c := e.wrap(ctx, nc, host, port, id)
	c.near, c.rtt = o.Near, time.Since(began) // with the look-up: an upper bound
	if e.client.Dialer != nil && o.At.IsValid() {
		c.addr = &net.TCPAddr{IP: o.At.AsSlice(), Port: port}
	}
	c.Record(o.Record)
	e.note(id, MarkOpen, "connected to %s", c.addr)
	if o.TLS && !c.isPlayback() {
		if err := e.handshake(ctx, c, o); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// A Playback is what a Dialer may give in the place of a connection to anybody: octets that were taken down within TLS, so that none is
// spoken on it.
type Playback interface {
	net.Conn
	IsPlayback()
}

func (c *Conn) isPlayback() bool {
	_, ok := c.raw.Conn.(Playback)
	return ok
}

// checkTarget splits addr and refuses what must not be contacted, before any packet.
func (e *Env) checkTarget(addr string, near *Conn) (host string, port int, err error) {
	host, p, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, Errorf(ErrRefusedURL, "%q is no host and port", addr)
	}
	if port, err = strconv.Atoi(p); err != nil {
		return "", 0, Errorf(ErrRefusedURL, "%q is no port", p)
	}
	if near != nil {
		host = near.host
	}
	if err := checkHost(host); err != nil {
		return "", 0, err
	}
	return host, port, e.client.Policy.checkPort(port, e.ports()...)
}

// ports are the well-known ports of the request's own scheme.
func (e *Env) ports() []int {
	return append(slices.Clip(e.scheme.Ports), e.scheme.Rules.DefaultPort)
}

// checkHost refuses names that other programs could take for an option, and what no resolver can look up: bytes that are in no name,
// letters without an A-label form (RFC 5891), which URI.Hostname leaves, and empty labels (RFC 1035 section 3.1). A host that consists
// of ignorable characters, such as U+200B, is one of the last two.
func checkHost(host string) error {
	switch {
	case host == "":
		return Errorf(ErrRefusedURL, "no host")
	case host[0] == '-':
		return Errorf(ErrRefusedURL, "a host cannot begin with a hyphen")
	case len(host) > 255:
		return Errorf(ErrRefusedURL, "a host name has at most 255 octets")
	case strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`/\@?#"<>`, r) }):
		return Errorf(ErrRefusedURL, "a host cannot hold blanks, controls or delimiters")
	case strings.Contains("."+strings.TrimSuffix(host, ".")+".", ".."):
		return Errorf(ErrRefusedURL, "the host %s has an empty label", strconv.QuoteToASCII(host))
	case !isLiteral(host) && strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }):
		return Errorf(ErrRefusedURL, "the host %s has no ASCII form to look up", strconv.QuoteToASCII(host))
	}
	return nil
}

// isLiteral reports whether host is an IP address; its zone may have any name.
func isLiteral(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// connect makes the socket: the one place where a TCP connection begins.
func (e *Env) connect(ctx context.Context, network, host string, port int, o *DialOptions) (net.Conn, error) {
	c := e.client
	ctx, cancel := withTimeout(ctx, c.timeouts.Connect)
	defer cancel()
	var nc net.Conn
	err := c.withDescriptor(ctx, func() (err error) { nc, err = e.dial(ctx, network, host, port, o); return err })
	if err != nil {
		return nil, connectError(ctx, err)
	}
	return nc, nil
}

// dial asks the Client's Dialer, if it has one, and then the system.
func (e *Env) dial(ctx context.Context, network, host string, port int, o *DialOptions) (nc net.Conn, err error) {
	c := e.client
	if c.Dialer != nil {
		if err := c.Policy.checkLiteral(cmp.Or(o.For, host), port); err != nil {
			return nil, err
		}
		e.outside(func() {
			nc, err = c.Dialer(context.WithValue(ctx, dialerKey{}, e), network, net.JoinHostPort(host, strconv.Itoa(port)))
		})
		if nc != nil || err != nil {
			return nc, err
		}
	}
	switch {
	case o.At.IsValid(): // as addressed: what Near's server may be contacted for does not extend to another host
	case o.Near != nil:
		host = o.Near.dialled()
		ctx = context.WithValue(ctx, nearKey{}, o.Near)
	case isLocalhost(host):
		host = "localhost"
	}
	nc, err = c.names.Dial(ctx, host, strconv.Itoa(port), func(ctx context.Context, target string) (nc net.Conn, err error) {
		err = c.withDescriptor(ctx, func() error { nc, err = c.dialDirect(ctx, network, target, o.LowPort, e.keepAlive()); return err })
		return nc, err
	})
	if err != nil && ctx.Err() != context.Canceled && KindOf(err) != ErrDenied {
		c.names.Failed(host)
	}
	return nc, err
}

// dialerKey is the context key of the request for which a Dialer is asked.
type dialerKey struct{}

// SchemeOf returns the scheme of the request for which a Client's Dialer was called with ctx: proxies are chosen by it.
func SchemeOf(ctx context.Context) string {
	if e, ok := ctx.Value(dialerKey{}).(*Env); ok {
		return e.scheme.Name()
	}
	return ""
}

// HideLogin keeps the password that a Dialer says on its own (to a proxy) out of the trace and of errors of the request for which it was
// called with ctx.
func HideLogin(ctx context.Context, l Login) {
	if e, ok := ctx.Value(dialerKey{}).(*Env); ok {
		e.secrets.AddLogin(l.User, l.name(), l.Password)
	}
}

// dialled is the address that the connection has, in the form that dials it again.
func (c *Conn) dialled() string {
	if a, ok := c.raw.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap().String()
	}
	return c.host
}

// keepAlive spares the system its probes (four calls) where a silent peer is given up long before they could tell anything.
func (e *Env) keepAlive() time.Duration {
	if idle := e.client.timeouts.Idle; idle > 0 && idle <= probesTake && e.plan.Options.Op != Attach {
		return -1
	}
	return 0
}

// RoundTrip returns how long connecting took, with the look-up: at least a round trip.
func (c *Conn) RoundTrip() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rtt
}

// KeepAlive makes the system probe the connection while nothing passes over it, whatever Timeouts.Idle is: for one on which nothing is due while
// another works, such as the control connection of FTP. Address translators forget a silent connection after a minute or two.
func (c *Conn) KeepAlive() {
	if k, ok := c.raw.Conn.(interface {
		SetKeepAliveConfig(net.KeepAliveConfig) error
	}); ok {
		k.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true})
	}
}

// probesTake is how long the probes that package net asks for take to find a peer dead: 15 s, and 9 times 15 s.
const probesTake = 150 * time.Second

// dialDirect connects to an address, which has been looked up already.
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

// guard is asked by the system's dialer for each address that it is about to contact, after name resolution.
func (c *Client) guard(ctx context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return Errorf(ErrDenied, "the address %q cannot be checked", address)
	}
	if near, ok := ctx.Value(nearKey{}).(*Conn); ok && slices.Contains(c.Policy.AllowServers, near.peer()) && near.peer().Addr() == ap.Addr().Unmap() {
		return nil // a data connection of an allowed server, whose port only the server knows
	}
	return c.Policy.checkAddr(ap)
}

// nearKey is the context key of the connection that a data connection belongs to.
type nearKey struct{}

// peer returns the address and port that c is connected to. It returns the zero AddrPort for a connection that is not TCP.
func (c *Conn) peer() netip.AddrPort {
	a, ok := c.raw.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(a.AddrPort().Addr().Unmap(), uint16(a.Port))
}

// connectError gives an error of connecting its kind, also one of the Client's Dialer, which may have put words before it.
func connectError(ctx context.Context, err error) error {
	if KindOf(err) != "" {
		if op, ok := err.(*net.OpError); ok { // package net has put its words before the guard's
			return op.Err
		}
		return err
	}
	e := Errorf(ErrConnect, "%w", err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	isDNS = isDNS && !dns.IsTimeout
	if op, ok := errors.AsType[*net.OpError](err); ok {
		e.Text = strings.Replace(e.Text, op.Error(), whyNot(op), 1)
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

// whyNot is what package net says of a connection, in the words of the other errors: without the names of calls of the system.
func whyNot(op *net.OpError) string {
	cause := op.Err
	if call, ok := errors.AsType[*os.SyscallError](cause); ok {
		cause = call.Err
	}
	if op.Addr == nil {
		return cause.Error()
	}
	return op.Addr.String() + ": " + cause.Error()
}

// wrap makes a Conn of the raw connection and lends it to the request, and to the session that is being opened.
func (e *Env) wrap(ctx context.Context, nc net.Conn, host string, port, id int) *Conn {
	raw := socket.New(nc)
	c := &Conn{limits: e.client.limits, timeouts: e.client.timeouts, buffers: &e.client.buffers, id: id, net: raw, raw: raw, host: host, addr: nc.RemoteAddr(), out: tap{dir: FromClient}, in: tap{dir: FromServer}}
	if _, ok := c.addr.(*net.TCPAddr); !ok || e.client.Dialer != nil {
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

// note puts a remark of the engine into the trace.
func (e *Env) note(conn int, m Mark, format string, args ...any) {
	if e.trace == nil {
		return
	}
	text := oneLine(fmt.Sprintf(format, args...))
	switch m {
	case MarkRandom: // a replay draws these octets again, and no secret is in them
	case MarkOpen, MarkListen, MarkTLS: // addresses and versions, which a replay reads again
		text = e.secrets.MaskDistinctive(text)
	default:
		text = e.secrets.MaskText(text)
	}
	e.trace(Event{Time: now(), Conn: conn, Dir: InWords, Mark: m, Note: text})
}

// number counts the connections of a Client.
func (c *Client) number() int { return int(c.numbers.Add(1)) }
