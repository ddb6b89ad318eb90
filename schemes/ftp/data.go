package ftp

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// dataConnection is the data connection of a transfer and its parameters.
type dataConnection struct {
	conn     *fetch.Conn     // nil until it is connected
	listener *fetch.Listener // for the server's connection, nil in passive mode
	verb     string          // of the port that was granted last
	port     int
	address  netip.Addr  // if data may come from another address than the control connection's
	ignored  netip.Addr  // named by 227, not connected to
	watch    *time.Timer // probes the control connection during a transfer
}

func (d *dataConnection) closeListener() {
	if d.listener != nil {
		d.listener.Close()
		d.listener = nil
	}
}

// closeData ends the transfer on our side.
func (d *dataConnection) closeData() {
	d.closeListener()
	if d.conn != nil {
		d.conn.Close()
	}
}

func (d *dataConnection) stopWatch() {
	if d.watch != nil {
		d.watch.Stop()
	}
}

// connectData arranges a data connection and, in passive mode, connects to the granted port. In active mode the server connects once it
// has read the command for the transfer.
func (r *retrieval) connectData() error {
	r.conn = nil
	if err := r.arrange(); err != nil || r.listener != nil {
		return err
	}
	c := r.s.ctl
	host := c.RemoteAddr().(*net.TCPAddr).IP.String() // DialOptions.Near overrides it
	ctx, cancel := r.dialContext()
	defer cancel()
	conn, err := r.env.Dial(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(r.port)), &fetch.DialOptions{Near: c.Conn, At: r.address})
	if err != nil {
		return r.dialFailed(err, ctx.Err() != nil && r.ctx.Err() == nil)
	}
	r.conn = conn
	if r.epsv == epsvAbandoned && r.verb == "PASV" {
		r.avoidEPSV()
	}
	return nil
}

// dialFailed returns the error for a failed data connection. The server's refusal of the transfer takes precedence over err, so dialFailed
// waits for it: longer if late is set, and not at all if the Policy refuses the port, since the server still waits for our connection then.
func (r *retrieval) dialFailed(err error, late bool) error {
	if fetch.KindOf(err) == fetch.ErrRefusedPort {
		return r.s.ctl.end(err)
	}
	patience := replyPatience
	if late {
		patience = readTime
	}
	if no := r.s.ctl.refusedTransfer(patience); no != nil {
		return r.transferRefused(no)
	}
	r.s.ctl.end(err)
	if isReset(err) { // connected, and broken before we looked: the data is lost
		return fetch.Errorf(fetch.ErrTruncated, "the data connection broke: %w", err)
	}
	if k := fetch.KindOf(err); k == fetch.ErrConnect || k == fetch.ErrTimeout {
		if r.ignored.IsValid() {
			e := fetch.Errorf(k, "%w (the server named %s for its data)", err, r.ignored)
			e.Hint = hint.Set + " ftp.data-address=any"
			err = e
		}
		err = unreachablePort{err, r.verb}
	}
	return err
}

// dataAddress returns the address that 227 names if data may be fetched from there, otherwise the zero Addr. By default data comes from
// the control connection's address: another would make us a tool against third parties (RFC 2577 §3), and with address translation it
// is wrong. If the server has a public address, a private one is ignored even if the user allows any: it is the server's own address on
// the other side of a translation, or it belongs to a third party near us.
func (r *retrieval) dataAddress(named netip.Addr) netip.Addr {
	var own netip.Addr
	if a, ok := r.s.ctl.RemoteAddr().(*net.TCPAddr); ok {
		own = a.AddrPort().Addr().Unmap().WithZone("")
	}
	if own == named || !named.IsGlobalUnicast() && !named.IsLoopback() || isPrivate(named) && !isPrivate(own) {
		return netip.Addr{}
	}
	if r.req.dataAddress == "any" || r.req.dataAddress == "same-network" && sameNetwork(own, named) {
		return named
	}
	r.ignored = named
	return netip.Addr{}
}

// sameNetwork reports whether two IPv4 addresses are in the same /24: a cluster in one place. 227 names IPv4 addresses only.
func sameNetwork(a, b netip.Addr) bool {
	return a.Is4() && b.Is4() && netip.PrefixFrom(a, 24).Masked().Contains(b)
}

func isPrivate(a netip.Addr) bool { return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() }

// An epsvWait determines how long to wait for the port of an EPSV. A firewall that does not know EPSV opens only the ports of PASV and
// drops packets to others, which would cost Timeouts.Connect. PASV cannot be sent meanwhile on the same control connection: RETR has
// gone out with EPSV, and servers read nothing more before its data connection is there.
type epsvWait int

const (
	epsvBriefly   epsvWait = iota // for epsvTime
	epsvAbandoned                 // EPSV was abandoned early, PASV is next
	epsvFully                     // PASV did not work either: EPSV gets all of its time
)

// epsvTime is how long to wait for an EPSV's port at first, besides a few round trips: the second attempt of a connection, one second
// after the first, may still be answered.
const epsvTime = 1500 * time.Millisecond

// readTime is long enough to read what has arrived.
const readTime = 50 * time.Millisecond

// dialContext returns the context for the connection to the granted port.
func (r *retrieval) dialContext() (context.Context, context.CancelFunc) {
	if !r.mayAbandonEPSV() {
		return r.ctx, func() {}
	}
	return context.WithTimeout(r.ctx, epsvTime+4*min(r.s.ctl.RoundTrip(), time.Second))
}

// mayAbandonEPSV reports whether an EPSV was granted and PASV is another way, which needs IPv4.
func (r *retrieval) mayAbandonEPSV() bool {
	a, ok := r.s.ctl.RemoteAddr().(*net.TCPAddr)
	return r.epsv == epsvBriefly && r.verb == "EPSV" && ok && a.IP.To4() != nil && len(r.plan.When(ifNoEPSV)) > 0
}
