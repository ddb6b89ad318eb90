package mailtest

import (
	"net"
	"sync"
)

// handed is a listener for a library's server whose connections a loopback.Listener accepts, in the order in which they were opened.
type handed struct {
	addr  string
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
}

func newHanded() *handed {
	return &handed{conns: make(chan net.Conn), over: make(chan struct{})}
}

// hand passes c to the library, and returns when the library has closed it.
func (h *handed) hand(c net.Conn) {
	own := &handedConn{Conn: c, done: make(chan struct{})}
	select {
	case h.conns <- own:
		<-own.done
	case <-h.over:
	}
}

// Accept returns the next connection.
func (h *handed) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.over:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (h *handed) Close() error {
	h.once.Do(func() { close(h.over) })
	return nil
}

// Addr returns the address of the loopback.Listener.
func (h *handed) Addr() net.Addr {
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
