package loopback

import (
	"io"
	"net"
	"time"
)

// Patient returns c with idle limits instead of deadlines: each Read, and each piece of a Write, may take idle. So a client with a slow line
// gets the whole document, however long that takes. After a failed Write, CloseWrite fails and Close resets the connection: an orderly close
// would make the document look complete.
//
// SetDeadline does nothing. SetReadDeadline and SetWriteDeadline replace the limit.
func Patient(c net.Conn, idle time.Duration) net.Conn {
	return &patient{Conn: c, idle: idle, reads: idle, writes: idle}
}

type patient struct {
	net.Conn
	idle          time.Duration
	reads, writes time.Duration // 0 after SetReadDeadline and SetWriteDeadline
	broken        error
}

// pieceSize is the number of bytes that a client must read within the idle limit.
const pieceSize = 16 << 10

func (p *patient) Read(b []byte) (int, error) {
	if p.reads > 0 {
		p.Conn.SetReadDeadline(time.Now().Add(p.reads))
	}
	return p.Conn.Read(b)
}

func (p *patient) Write(b []byte) (n int, err error) {
	for first := true; first || n < len(b) && err == nil; first = false {
		if p.writes > 0 {
			p.Conn.SetWriteDeadline(time.Now().Add(p.writes))
		}
		var k int
		k, err = p.Conn.Write(b[n:min(len(b), n+pieceSize)])
		n += k
	}
	if err != nil && p.broken == nil {
		p.broken = err
		Reset(p.Conn)
	}
	return n, err
}

func (p *patient) CloseWrite() error {
	if p.broken != nil {
		return p.broken
	}
	if w, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return io.ErrClosedPipe
}

// NetConn returns the connection itself.
func (p *patient) NetConn() net.Conn { return p.Conn }

func (p *patient) SetDeadline(time.Time) error {
	p.reads, p.writes = p.idle, p.idle
	return nil
}

func (p *patient) SetReadDeadline(t time.Time) error {
	p.reads = 0
	return p.Conn.SetReadDeadline(t)
}

func (p *patient) SetWriteDeadline(t time.Time) error {
	p.writes = 0
	return p.Conn.SetWriteDeadline(t)
}
