package mailtest

import (
	"bytes"
	"net"
	"sync"
)

// A handedListener passes the connections of a loopback.Listener to a library's server in the order of their opening.
type handedListener struct {
	addr  string
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
}

func newHandedListener() *handedListener {
	return &handedListener{conns: make(chan net.Conn), over: make(chan struct{})}
}

// hand passes c to the library, and returns when the library has closed it.
func (h *handedListener) hand(c net.Conn) {
	own := &handedConn{Conn: c, done: make(chan struct{})}
	select {
	case h.conns <- own:
		<-own.done
	case <-h.over:
	}
}

// Accept returns the next connection.
func (h *handedListener) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.over:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (h *handedListener) Close() error {
	h.once.Do(func() { close(h.over) })
	return nil
}

// Addr returns the address of the loopback.Listener.
func (h *handedListener) Addr() net.Addr {
	addr, _ := net.ResolveTCPAddr("tcp", h.addr)
	return addr
}

// handedConn reports that it is closed.
type handedConn struct {
	net.Conn
	once sync.Once
	done chan struct{}
}

func (c *handedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { close(c.done) })
	return err
}

// A transcript stores what both sides have sent, up to a bound: a server that runs for days must not grow.
type transcript struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const maxTranscript = 1 << 20

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.b.Len()+len(p) <= maxTranscript {
		t.b.Write(p)
	}
	return len(p), nil
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
