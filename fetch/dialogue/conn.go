package dialogue

import (
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// maxReceived bounds what a client may send ahead of the script.
const maxReceived = 16 << 20

// A conn is the client's end of a scripted connection. The Player's mu guards its fields.
type conn struct {
	player *Player
	id     int
	addr   string // as it was dialled

	received    []byte // from the client, not yet matched by a line
	allReceived []byte
	allSent     []byte
	out         []byte // not yet read by the client; over TLS, records
	end         error  // returned by Read after out
	closed      bool   // by the client
	readBy      deadline
	writeBy     deadline
	tls         *tlsSide
}

// receive adds bytes from the client.
func (c *conn) receive(b []byte) {
	c.allReceived = append(c.allReceived, b...)
	if f := c.player.frames[c.id]; f != nil {
		b = f.keep(b)
	}
	c.received = append(c.received, b...)
	if len(c.received) > maxReceived {
		c.player.fail(fmt.Errorf("the client sends more than %d bytes ahead of the script", maxReceived))
		return
	}
	c.player.advance()
}

// send adds bytes for the client.
func (c *conn) send(b []byte) {
	if len(b) == 0 {
		return
	}
	c.allSent = append(c.allSent, b...)
	if c.tls != nil {
		c.tls.put(b)
		return
	}
	c.out = append(c.out, b...)
}

// finish closes the server's side: orderly for io.EOF, with a reset for errCut.
func (c *conn) finish(how error) {
	if c.tls != nil {
		c.tls.finish(how)
		return
	}
	c.endWith(how)
}

func (c *conn) endWith(how error) {
	if c.end == nil {
		c.end = how
		if how == errCut {
			c.end = &net.OpError{Op: "read", Net: "tcp", Err: loopback.ErrReset}
		}
	}
}

func (c *conn) Read(b []byte) (int, error) {
	p := c.player
	p.mu.Lock()
	defer p.mu.Unlock()
	var w wait
	defer w.stop()
	for {
		switch {
		case c.closed:
			return 0, net.ErrClosed
		case c.readBy.past():
			return 0, os.ErrDeadlineExceeded
		case len(c.out) > 0:
			n := copy(b, c.out)
			c.out = c.out[n:]
			p.taken += n
			p.moves++
			return n, nil
		case c.end != nil:
			return 0, c.end
		}
		if err := p.lost(&w); err != nil {
			c.end = err
			continue
		}
		p.wake.Wait()
	}
}

func (c *conn) Write(b []byte) (int, error) {
	p := c.player
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.closed:
		return 0, net.ErrClosed
	case c.writeBy.past():
		return 0, os.ErrDeadlineExceeded
	case c.end != nil && c.end != io.EOF:
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: loopback.ErrPipe}
	case p.over:
		return len(b), nil // lost, like the first write after the peer has closed
	case c.tls != nil:
		c.tls.in = append(c.tls.in, b...)
		p.wake.Broadcast()
	default:
		c.receive(b)
	}
	return len(b), nil
}

func (c *conn) Close() error {
	p := c.player
	p.mu.Lock()
	defer p.mu.Unlock()
	c.closed = true
	c.readBy.stop()
	c.writeBy.stop()
	p.wake.Broadcast()
	return nil
}

// CloseWrite does nothing: a script does not show it.
func (c *conn) CloseWrite() error { return nil }

// Pending reports whether Read would return at once.
func (c *conn) Pending() bool {
	c.player.mu.Lock()
	defer c.player.mu.Unlock()
	return len(c.out) > 0 || c.end != nil
}

// LocalAddr returns a loopback address whose port is the number of the connection.
func (c *conn) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: c.id} }

// RemoteAddr returns the address that was dialed, with 127.0.0.1 for a name.
func (c *conn) RemoteAddr() net.Addr { return remote(c.addr) }

func remote(addr string) *net.TCPAddr {
	host, port, _ := net.SplitHostPort(addr)
	a := &net.TCPAddr{IP: net.ParseIP(host)}
	if a.IP == nil {
		a.IP = net.IPv4(127, 0, 0, 1)
	}
	fmt.Sscan(port, &a.Port)
	return a
}

func (c *conn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

func (c *conn) SetReadDeadline(t time.Time) error  { return c.player.set(&c.readBy, t) }
func (c *conn) SetWriteDeadline(t time.Time) error { return c.player.set(&c.writeBy, t) }

// A deadline wakes waiting goroutines of the Player when it passes.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) past() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

func (p *Player) set(d *deadline, t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	d.stop()
	d.at = t
	if !t.IsZero() {
		d.timer = p.after(time.Until(t), p.wake.Broadcast)
	}
	p.wake.Broadcast()
	return nil
}
