package loopback

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
)

// A Watcher learns what a server and its clients send. Its methods are called concurrently, and the server waits for them.
type Watcher interface {
	// Connection is called for each new connection to which Data and other events will belong. dialed is set if the server has opened it.
	Connection(c net.Conn, dialed bool) Watched
	// Datagram is called for each datagram, with the client's address. dir is 'C' for one from the client, 'S' for one from the server. p is
	// valid only during the call.
	Datagram(client net.Addr, dir byte, p []byte)
}

// A Watched learns what passes over one connection, decrypted if the server calls Listener.Decrypted.
type Watched interface {
	Data(dir byte, p []byte) // as Watcher.Datagram; before the server sends p
	TLS(version string)      // TLS has begun
	Left()                   // the client has closed the connection
	Ended()                  // the server has closed the connection, or its direction of it
	Closed()                 // nothing more is called
}

// Watch makes w learn about the connections that clients open from now on.
func (s *Listener) Watch(w Watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watcher = w
}

func (s *Listener) watching() Watcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watcher
}

// Observed returns c, or a connection in its place that a Watcher learns about. dialed is set if the server has opened c. A server calls it for
// connections that it opens or accepts itself; its Close must be called.
func (s *Listener) Observed(c net.Conn, dialed bool) net.Conn {
	return Observe(c, s.watching(), dialed)
}

// Observe is Listener.Observed for a server without a Listener. w may be nil.
func Observe(c net.Conn, w Watcher, dialed bool) net.Conn {
	if w == nil {
		return c
	}
	return &observed{Conn: c, wire: &wire{w: w.Connection(c, dialed)}}
}

// Decrypted returns t, or a connection in its place whose bytes a Watcher learns.
func (s *Listener) Decrypted(t *tls.Conn) net.Conn {
	if o := observedIn(t); o != nil {
		return &observed{Conn: t, wire: o.wire, inside: true}
	}
	return t
}

// A wire is the state of one connection.
type wire struct {
	w      Watched
	secure atomic.Bool // TLS has begun
	ended  atomic.Bool
	closed atomic.Bool
}

func (w *wire) end() {
	if w.ended.CompareAndSwap(false, true) {
		w.w.Ended()
	}
}

// An observed is a connection that a Watcher learns about, or the inside of its TLS.
type observed struct {
	net.Conn
	wire   *wire
	inside bool
}

// observedIn returns the observed below c, or nil.
func observedIn(c net.Conn) *observed {
	for c != nil {
		if o, ok := c.(*observed); ok {
			return o
		}
		above, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		c = above.NetConn()
	}
	return nil
}

// NetConn returns the connection itself.
func (o *observed) NetConn() net.Conn { return o.Conn }

func (o *observed) reports() bool { return o.inside || !o.wire.secure.Load() }

func (o *observed) Read(p []byte) (int, error) {
	n, err := o.Conn.Read(p)
	if n > 0 && o.reports() {
		o.wire.w.Data('C', p[:n])
	}
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed) && o.wire.ended.CompareAndSwap(false, true) {
		o.wire.w.Left()
	}
	return n, err
}

func (o *observed) Write(p []byte) (int, error) {
	if len(p) > 0 && o.reports() {
		o.wire.w.Data('S', p)
	}
	return o.Conn.Write(p)
}

func (o *observed) CloseWrite() error {
	w, ok := o.Conn.(interface{ CloseWrite() error })
	if !ok {
		return io.ErrClosedPipe
	}
	o.wire.end()
	return w.CloseWrite()
}

func (o *observed) Close() error {
	err := o.Conn.Close()
	if o.wire.closed.CompareAndSwap(false, true) {
		o.wire.end()
		o.wire.w.Closed()
	}
	return err
}
