package fetch

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// Times is when the steps of a request were finished, counted from the beginning of Client.Get. A step that did not happen is 0: no name is looked
// up for a connection that is already open. Of connections besides the first, such as FTP's for data, nothing is counted.
type Times struct {
	Redirect time.Duration // the last referral was received, and the request of this document began; 0 without one
	Lookup   time.Duration // the name was looked up
	Connect  time.Duration // the connection was open
	TLS      time.Duration // the TLS handshake was finished
	Reply    time.Duration // the beginning of the response was received
}

// begin sets the time from which Times are counted.
func (e *Env) begin(w *walk) {
	if e.began = time.Now(); !w.began.IsZero() {
		e.began = w.began
	}
	if w.hops > 0 {
		e.mark(&e.times.Redirect)
	}
}

// mark sets one of e.times, unless it is set already.
func (e *Env) mark(step *time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if *step == 0 && !e.began.IsZero() {
		*step = time.Since(e.began)
	}
}

// connected records the ends of the connection.
func (e *Env) connected(c *Conn) {
	e.mark(&e.times.Connect)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.remote.IsValid() {
		e.local, e.remote = endOf(c.raw.LocalAddr()), c.peer()
	}
}

// endOf returns the address and port of one end. It returns the zero AddrPort if it is not one of TCP.
func endOf(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := t.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// Sleep waits for d. It returns false if ctx ends before.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}
