package ftp

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

	"example.org/deref/fetch"
)

// data is a data connection as the library sees it: something to close.
type data struct {
	net.Conn // nil until the server has connected
	of       *run
}

// Close closes what there is of the connection.
func (d *data) Close() error {
	d.of.unlisten()
	if d.Conn == nil {
		return nil
	}
	return d.Conn.Close()
}

// unreachable says that a port was granted and leads nowhere.
type unreachable struct {
	error
	verb string
}

// Unwrap returns why.
func (u unreachable) Unwrap() error { return u.error }

// early finds out whether a port was closed because the transfer, asked for in the same flight, is refused already.
func (c *control) early(most time.Duration) *refusal {
	c.Conn.SetReadDeadline(time.Now().Add(most))
	defer c.Conn.SetReadDeadline(time.Time{})
	for len(c.sent) > 0 {
		s := c.sent[0]
		a, err := readReply(c.Conn)
		if err != nil || !fits(s.Verb, a.code) || a.class() < 3 {
			return nil
		}
		c.sent = c.sent[1:]
		if transfers(s.Verb) {
			c.heard++
			c.asked, c.last = s, a
			return &refusal{s, a}
		}
	}
	return nil
}

// hasty gives the refusal of a transfer its kind. 425 in a flight may only say that nobody had connected: some servers do not wait
// for what can come only when they have told the port.
func (r *run) hasty(no *refusal) error {
	err := fail(no)
	if no.reply.code == 425 && r.s.ctl.flown && !has(no.reply.text, "in use") {
		return r.s.ctl.end(dislike{err})
	}
	return err
}

// dataAddress returns the address that 227 names if data may be fetched from there, or else the zero Addr. By default data comes from the
// control connection's address: another would make us a tool against third parties (RFC 2577 §3), and with address translation it is wrong.
// Of a server with a public address, a private one is ignored even if the user allows any: it is the server's own address on the other side
// of a translation, or a third party of ours.
func (r *run) dataAddress(named netip.Addr) netip.Addr {
	var own netip.Addr
	if a, ok := r.s.ctl.Conn.RemoteAddr().(*net.TCPAddr); ok {
		own = a.AddrPort().Addr().Unmap().WithZone("")
	}
	if own == named || !named.IsGlobalUnicast() && !named.IsLoopback() || isPrivate(named) && !isPrivate(own) {
		return netip.Addr{}
	}
	if r.w.dataAddress == "any" || r.w.dataAddress == "same-network" && sameNetwork(own, named) {
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

// dialData is the library's dial function for data connections. addr holds the host that the library believes in, which Near and At override.
func (r *run) dialData(addr string) (net.Conn, error) {
	d := &data{of: r}
	r.data = d
	if r.listener != nil {
		return d, nil // the server connects when it has read RETR
	}
	ctx, cancel := r.hurried()
	defer cancel()
	c, err := r.env.Dial(ctx, "tcp", addr, &fetch.DialOptions{Near: r.s.ctl.Conn, At: r.s.ctl.at})
	if err != nil {
		most := patience
		if ctx.Err() != nil && r.ctx.Err() == nil { // a refusal would have come by now
			most = arrived
		}
		if no := r.s.ctl.early(most); no != nil {
			return nil, r.hasty(no)
		}
		r.s.ctl.end(err)
		if isReset(err) { // connected, and broken before we looked: what came is lost
			return nil, fetch.Errorf(fetch.ErrTruncated, "the data connection broke: %w", err)
		}
		if k := fetch.KindOf(err); k == fetch.ErrConnect || k == fetch.ErrTimeout {
			if e, ok := errors.AsType[*fetch.Error](err); ok && r.ignored.IsValid() {
				e.Hint = "the server named " + r.ignored.String() + " for its data; --set ftp.data-address=any connects to it"
			}
			err = unreachable{err, r.setupVerb}
		}
		return nil, err
	}
	d.Conn = c
	if r.hurry == leftEPSV && r.setupVerb == "PASV" {
		r.env.Learn("EPSV" + unreachableFact)
	}
	return d, nil
}

// A hurry says how the port of an EPSV is waited for. A firewall that does not know EPSV opens the ports of PASV alone and drops what comes for
// others, which would cost Timeouts.Connect. PASV cannot be sent meanwhile on the same control connection: RETR has gone out with EPSV, and
// servers read nothing more until its data connection is there.
type hurry int

const (
	mayHurry hurry = iota
	leftEPSV       // EPSV was left early: PASV is tried
	patient        // that did not work either: EPSV has all of its time
)

// epsvTime is how long an EPSV's port is waited for at first, besides a few round trips: the second try of a connection, one second after
// the first, may still be answered.
const epsvTime = 1500 * time.Millisecond

// arrived is how long it takes to read what is there.
const arrived = 50 * time.Millisecond

// hurried returns the context in which the port that was granted is connected to.
func (r *run) hurried() (context.Context, context.CancelFunc) {
	if !r.mayLeaveEPSV() {
		return r.ctx, func() {}
	}
	return context.WithTimeout(r.ctx, epsvTime+4*min(r.s.ctl.Conn.RoundTrip(), time.Second))
}

// mayLeaveEPSV reports whether an EPSV was granted and PASV is another way, which is so for IPv4 alone.
func (r *run) mayLeaveEPSV() bool {
	a, ok := r.s.ctl.Conn.RemoteAddr().(*net.TCPAddr)
	return r.hurry == mayHurry && r.setupVerb == "EPSV" && ok && a.IP.To4() != nil && len(r.plan.When(ifNoEPSV)) > 0
}
