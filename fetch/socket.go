package fetch

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// dialedAddr returns the address of the peer, in a form that can be dialed again.
func (c *Conn) dialedAddr() string {
	if a := c.peer(); a.IsValid() {
		return a.Addr().String()
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
	return c.Policy.checkSocket(ctx, t, int(ap.Port()), d.scheme)
}

// nearKey is the context key of the control connection of a data connection.
type nearKey struct{}

// peer returns the address and port that c is connected to. It returns the zero AddrPort if c is not a TCP connection.
func (c *Conn) peer() netip.AddrPort { return endOf(c.raw.RemoteAddr()) }

// withDescriptor calls open, which makes a socket. If the process has no descriptor left, withDescriptor closes idle sessions, the oldest
// first. If there are none, it waits until another request ends, as long as ctx allows. It fails if all others wait, too, and one more try has
// shown that none of them has freed a descriptor before.
func (c *Client) withDescriptor(ctx context.Context, open func() error) error {
	err := open()
	for alone := false; isShort(err); err = open() {
		if c.pool.evict() {
			continue
		}
		waiting := c.waiting.Add(1) // a request that opens a socket does not wait
		before := alone
		alone = waiting >= c.running.Load()
		over := before && alone || !alone && !Sleep(ctx, descriptorWait)
		c.waiting.Add(-1)
		if over {
			return &Error{Kind: ErrLocal, Text: "too many open files", Err: err, Hint: "the system can allow more (ulimit -n)"}
		}
	}
	return err
}

// isShort reports whether err means that there is no descriptor, and does not come from another withDescriptor.
func isShort(err error) bool { return socket.IsExhausted(err) && KindOf(err) == "" }

// descriptorWait is the time between attempts.
const descriptorWait = 20 * time.Millisecond
