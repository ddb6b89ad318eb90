package dialogue

import (
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// maxSaid bounds what a client may say without the script's taking it.
const maxSaid = 16 << 20

// A conn is the client's end of a scripted connection. All of it is guarded by the Player's mu.
type conn struct {
	player *Player
	id     int
	addr   string // as it was dialled

	said    []byte // what the client has said and no line has taken
	allSaid []byte
	allTold []byte
	out     []byte // waits for the client's Read; over TLS the records
	end     error  // what Read gives behind out
	closed  bool   // by the client
	readBy  deadline
	writeBy deadline
	tls     *tlsSide
}

// hear takes octets of the client.
func (c *conn) hear(b []byte) {
	c.allSaid = append(c.allSaid, b...)
	if f := c.player.frames[c.id]; f != nil {
		b = f.keep(b)
	}
	c.said = append(c.said, b...)
	if len(c.said) > maxSaid {
		c.player.fail(fmt.Errorf("the client says more than %d octets", maxSaid))
		return
	}
	c.player.advance()
}

// tell says octets to the client.
func (c *conn) tell(b []byte) {
	if len(b) == 0 {
		return
	}
	c.allTold = append(c.allTold, b...)
	if c.tls != nil {
		c.tls.put(b)
		return
	}
	c.out = append(c.out, b...)
}

// finish ends the server's side: io.EOF in order, errCut with a reset.
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
			c.end = &net.OpError{Op: "read", Net: "tcp", Err: errReset}
		}
	}
}

func (c *conn) Read(b []byte) (int, error) {
	p := c.player
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case c.closed:
			return 0, net.ErrClosed
		case c.readBy.past():
			return 0, os.ErrDeadlineExceeded
		case len(c.out) > 0:
			n := copy(b, c.out)
			c.out = c.out[n:]
			return n, nil
		case c.end != nil:
			return 0, c.end
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
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: errPipe}
	case p.over:
		return len(b), nil // into the void, as a first write after the peer's end
	case c.tls != nil:
		c.tls.in = append(c.tls.in, b...)
		p.wake.Broadcast()
	default:
		c.hear(b)
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

// CloseWrite ends the client's side alone.
func (c *conn) CloseWrite() error { return nil }

// Pending reports whether Read would return at once.
func (c *conn) Pending() bool {
	c.player.mu.Lock()
	defer c.player.mu.Unlock()
	return len(c.out) > 0 || c.end != nil
}

// LocalAddr is of the loopback interface; the port is the connection's number.
func (c *conn) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: c.id} }

// RemoteAddr is the address that was dialled, as far as it is one.
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

// A deadline wakes the Player's sleepers when it passes.
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
		d.timer = time.AfterFunc(time.Until(t), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.wake.Broadcast()
		})
	}
	p.wake.Broadcast()
	return nil
}
