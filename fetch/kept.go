package fetch

import "time"

// A kept connection can be dead without a sign of it: the mapping of a NAT is gone, the server was restarted behind a firewall, this machine
// has slept. Nothing answers then, not even with a reset. So a connection that is leased again must prove that it is alive: the first byte
// has to arrive within a few round trips. If it does not, the wait fails with ErrConnection, as for a connection that its server has closed,
// and handlers repeat what is safe to repeat on a new connection.
//
// A server that is only slow loses nothing but that wait: a new connection has all of Timeouts.Idle, so no request is sent more than twice
// for this reason, and the next wait on the new connection is at least twice as long as its slowest answer.

const (
	proofTime  = 3 * time.Second // a lost packet is sent again within this time, and most servers answer
	proofTrips = 4               // round trips: a satellite's take longer
)

// keep notes that c is leased again.
func (c *Conn) keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept, c.asks, c.proveBy = true, time.Time{}, time.Time{}
}

// probe begins the wait for the first byte with the first byte that is sent.
func (c *Conn) probe() {
	if !c.kept {
		return
	}
	c.kept = false
	wait := max(proofTime, proofTrips*c.rtt, 2*c.slowest)
	if idle := c.client.timeouts.Idle; idle > 0 && wait >= idle {
		return
	}
	c.proveBy = c.asks.Add(wait)
	c.arm(c.armed) // of a Read that waits already
}

// silent is the error of a kept connection on which nothing arrives. The request opens a new one in its place: others that are as old
// would cost it the same wait each.
func (c *Conn) silent() error {
	if e := c.env(); e != nil {
		e.distrusts.Store(true)
	}
	return Errorf(ErrConnection, "the kept connection is silent")
}
