package schemetest

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Pipe returns the two ends of a connection in memory. Unlike those of net.Pipe, they buffer written bytes, as sockets do, so that two peers
// can write at the same time.
func Pipe() (client, server *Conn) {
	up, down := newHalf(), newHalf()
	return &Conn{in: down, out: up, port: 1}, &Conn{in: up, out: down, port: 2}
}

// A Conn is one end of a Pipe.
type Conn struct {
	in, out *half
	port    int // distinguishes the ends in an Addr
}

// Read reads what the peer has written. It returns io.EOF after the peer has closed.
func (c *Conn) Read(p []byte) (int, error) { return c.in.read(p) }

// Write never waits.
func (c *Conn) Write(p []byte) (int, error) { return c.out.write(p) }

// CloseWrite closes this end for writing. It can still read.
func (c *Conn) CloseWrite() error { c.out.end(nil); return nil }

// Close closes both directions. The peer can still read what has been written.
func (c *Conn) Close() error {
	c.out.end(nil)
	c.in.end(net.ErrClosed)
	return nil
}

// LocalAddr returns a loopback address.
func (c *Conn) LocalAddr() net.Addr { return addr(c.port) }

// RemoteAddr returns a loopback address.
func (c *Conn) RemoteAddr() net.Addr { return addr(3 - c.port) }

func addr(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// SetReadDeadline also applies to a Read that is waiting.
func (c *Conn) SetReadDeadline(t time.Time) error { c.in.limit(&c.in.readBy, t); return nil }

// SetWriteDeadline applies to later writes.
func (c *Conn) SetWriteDeadline(t time.Time) error { c.out.limit(&c.out.writeBy, t); return nil }

// A half is one direction.
type half struct {
	mu      sync.Mutex
	changed *sync.Cond
	held    []byte
	ended   bool  // by the writer
	gone    error // the reader's own Close
	readBy  time.Time
	writeBy time.Time
}

func newHalf() *half {
	h := &half{}
	h.changed = sync.NewCond(&h.mu)
	return h
}

func (h *half) read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.gone != nil:
			return 0, h.gone
		case isOver(h.readBy):
			return 0, os.ErrDeadlineExceeded
		case len(p) == 0:
			return 0, nil
		case len(h.held) > 0:
			n := copy(p, h.held)
			h.held = h.held[n:]
			return n, nil
		case h.ended:
			return 0, io.EOF
		}
		h.changed.Wait()
	}
}

func (h *half) write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ended, h.gone != nil:
		return 0, io.ErrClosedPipe
	case isOver(h.writeBy):
		return 0, os.ErrDeadlineExceeded
	}
	h.held = append(h.held, p...)
	h.changed.Broadcast()
	return len(p), nil
}

// end closes the half. The reader gets the bytes written so far and io.EOF, or only the error gone if that is not nil.
func (h *half) end(gone error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if gone != nil {
		h.gone, h.held = gone, nil
	} else {
		h.ended = true
	}
	h.changed.Broadcast()
}

func (h *half) limit(which *time.Time, t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*which = t
	h.changed.Broadcast()
	if wait := time.Until(t); !t.IsZero() && wait > 0 {
		time.AfterFunc(wait, h.changed.Broadcast) // wake readers to check the deadline
	}
}

func isOver(t time.Time) bool { return !t.IsZero() && !time.Now().Before(t) }
