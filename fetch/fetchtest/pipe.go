package fetchtest

import (
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Pipe returns the two ends of a connection in memory. Unlike those of net.Pipe, they buffer written bytes, as sockets do, so that two peers
// can write at the same time.
func Pipe() (client, server *Conn) {
	return connect(netip.MustParseAddrPort("127.0.0.1:1"), netip.MustParseAddrPort("127.0.0.1:2"))
}

func connect(client, server netip.AddrPort) (near, far *Conn) {
	up, down := newLine(Faults{}), newLine(Faults{})
	from, to := net.TCPAddrFromAddrPort(client), net.TCPAddrFromAddrPort(server)
	return &Conn{in: down, out: up, local: from, remote: to}, &Conn{in: up, out: down, local: to, remote: from}
}

// A Conn is one end of a connection in memory. Like a *net.TCPConn, it can be closed for writing, and reset.
type Conn struct {
	in, out       *line
	local, remote net.Addr
	resets        atomic.Bool
}

// Read reads what the peer has written. It returns io.EOF after the peer has closed.
func (c *Conn) Read(b []byte) (int, error) {
	n, _, err := c.in.read(b)
	if err == loopback.ErrReset {
		err = &net.OpError{Op: "read", Net: "tcp", Err: err}
	}
	return n, err
}

// Write waits only while the peer leaves more than 256 KiB unread. As with TCP, the first Write after the peer has closed works in vain.
func (c *Conn) Write(b []byte) (int, error) { return c.out.write(b, nil) }

// CloseWrite closes this end for writing. It can still read.
func (c *Conn) CloseWrite() error { c.out.end(io.EOF); return nil }

// SetLinger makes Close reset the connection if sec is 0.
func (c *Conn) SetLinger(sec int) error { c.resets.Store(sec == 0); return nil }

// Close closes both directions. The peer can still read what has been written.
func (c *Conn) Close() error {
	c.in.leave()
	if c.resets.Load() {
		c.out.end(loopback.ErrReset)
	}
	c.out.end(io.EOF)
	return nil
}

// Pending reports whether Read would return at once.
func (c *Conn) Pending() bool { return c.in.pending() }

// HungUp reports whether the peer has closed the connection, even if not all of its bytes have been read.
func (c *Conn) HungUp() (ended bool) {
	c.in.set(func() { ended = c.in.ended != nil })
	return ended
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// SetReadDeadline also applies to a Read that is waiting.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.set(func() { c.in.readBy = t })
	return nil
}

// SetWriteDeadline also applies to a Write that is waiting.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.set(func() { c.out.writeBy = t })
	return nil
}
