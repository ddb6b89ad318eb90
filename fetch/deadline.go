package fetch

import (
	"time"

	"example.org/deref/fetch/internal/socket"
)

// newDeadline returns the end of a wait that begins at a time, zero for none.
func (c *Conn) newDeadline(now time.Time) time.Time {
	if idle := c.timeouts.Idle; idle > 0 {
		return now.Add(idle)
	}
	return time.Time{}
}

// setReadDeadline sets the read deadline, unless the connection was aborted, whose deadline in the past must stay.
func (c *Conn) setReadDeadline(t time.Time) {
	for _, other := range [...]time.Time{c.proveBy, c.libDeadline} {
		if !other.IsZero() && (t.IsZero() || other.Before(t)) {
			t = other
		}
	}
	if c.dead != nil || t.Equal(c.readDeadline) {
		return
	}
	c.readDeadline = t
	c.net.SetReadDeadline(t)
}

// beforeRead sets the deadline of a Read.
func (c *Conn) beforeRead() error {
	if r := c.working(); r != nil {
		r.reads(c)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return c.dead
	}
	if c.replyLeft == 0 {
		return Errorf(ErrLimit, "the reply is longer than %d bytes", c.limits.Reply)
	}
	c.readBegan = time.Now() // also in a reply, which may become a body while this Read waits: HTTP/2 reads in a goroutine of its own
	t := c.newDeadline(c.readBegan)
	if !c.replyEnd.IsZero() && c.replyEnd.Before(t) {
		t = c.replyEnd
	}
	c.setReadDeadline(t)
	return nil
}

// afterRead counts the bytes that have arrived. Only the time spent waiting for the peer counts against the peer: it is not responsible for
// a slow sink, nor for a process that was stopped while it waited.
func (c *Conn) afterRead(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received += int64(n)
	c.due = c.due && n == 0
	c.talk.received = c.talk.received || n > 0
	if n > 0 && !c.sentAt.IsZero() {
		c.slowest = max(c.slowest, time.Since(c.sentAt))
		c.sentAt, c.proveBy = time.Time{}, time.Time{}
	}
	if !c.replyEnd.IsZero() {
		c.replyEnd = c.replyEnd.Add(time.Duration(n) * time.Second / replyRate)
	}
	if c.replyLeft > 0 {
		c.replyLeft = max(0, c.replyLeft-n)
		return nil
	}
	waited := time.Since(c.readBegan)
	if idle := c.timeouts.Idle; idle > 0 {
		waited = min(waited, idle)
	}
	return c.pace.Add(waited, n)
}

// A Pace measures how fast a body arrives. A Conn has one; a handler that receives several bodies on one connection has one for each.
type Pace struct {
	waited  time.Duration
	arrived int64
}

// Add counts n bytes, and the time waited for them. It returns ErrTimeout if too few have arrived in a long time.
func (p *Pace) Add(waited time.Duration, n int) error {
	p.waited += waited
	p.arrived += int64(n)
	if p.arrived >= slowBytes {
		*p = Pace{}
	} else if p.waited > slowTime {
		return Errorf(ErrTimeout, "fewer than %d bytes arrived in %s", slowBytes, slowTime)
	}
	return nil
}

// hasArrived reports whether a Read whose deadline has passed is to be repeated because the kernel holds bytes for it: bytes that have
// arrived take precedence over the deadline. If the process was stopped (Ctrl-Z), the time that it slept does not count against the peer,
// whose window was full.
func (c *Conn) hasArrived(err error) bool {
	if err == nil || !isTimeout(err) {
		return false
	}
	if !socket.New(c.raw.Conn).Pending() { // not c.raw, at which the pool may look while a reader of the idle connection is here
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return false
	}
	now := time.Now()
	if late := now.Sub(c.readDeadline); late > stopped {
		if !c.replyEnd.IsZero() {
			c.replyEnd = c.replyEnd.Add(late)
		}
		if !c.libDeadline.IsZero() {
			c.libDeadline = c.libDeadline.Add(late)
		}
	}
	c.readDeadline = now.Add(stopped)
	c.net.SetReadDeadline(c.readDeadline)
	return true
}

func (c *Conn) beforeWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if t := c.newDeadline(now); c.dead == nil && !t.Equal(c.writeDeadline) {
		c.writeDeadline = t
		c.net.SetWriteDeadline(t)
	}
	c.talk.sent = true
	if c.sentAt.IsZero() {
		c.sentAt = now
		c.beginProof()
	}
	return c.dead
}

// SetReadDeadline sets a deadline for a library; see SetDeadline.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.libDeadline, c.readDeadline = t, time.Unix(1, 0) // any previous deadline is replaced
	own := c.replyEnd
	if own.IsZero() {
		own = c.newDeadline(time.Now())
	}
	c.setReadDeadline(own)
	return nil
}

// A pooled connection can be dead without any sign: the mapping of a NAT is gone, the server was restarted behind a firewall, this machine
// has slept. Then nothing is received, not even a reset. So a connection that is leased again must prove that it is alive: the first byte
// has to arrive within a few round trips. If it does not, the wait fails with ErrConnection, as for a connection that its server has
// closed, and handlers repeat what is safe to repeat on a new connection.
//
// A server that is only slow loses nothing but that wait: a new connection has all of Timeouts.Idle, so no request is sent more than twice
// for this reason, and the next wait on the new connection is at least twice as long as its slowest answer.

const (
	proofTime  = 3 * time.Second // a lost packet is sent again within this time, and most servers answer
	proofTrips = 4               // round trips: a satellite's take longer
)

// reuse records that c is leased again.
func (c *Conn) reuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reused, c.sentAt, c.proveBy = true, time.Time{}, time.Time{}
}

// beginProof begins the wait for the first byte. It is called when the first byte is sent.
func (c *Conn) beginProof() {
	if !c.reused {
		return
	}
	c.reused = false
	wait := max(proofTime, proofTrips*c.rtt, 2*c.slowest)
	if idle := c.timeouts.Idle; idle > 0 && wait >= idle {
		return
	}
	c.proveBy = c.sentAt.Add(wait)
	c.setReadDeadline(c.readDeadline) // of a Read that waits already
}

// silent returns the error of a reused connection on which nothing arrives. The request then opens a new connection, since other pooled
// ones of the same age might cost the same wait.
func (c *Conn) silent() error {
	if r := c.working(); r != nil {
		r.distrust()
	}
	return Errorf(ErrConnection, "the kept connection is silent")
}
