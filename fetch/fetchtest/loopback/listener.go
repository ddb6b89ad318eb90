// Package loopback makes small servers for tests of handlers, like net/http/httptest. Serve makes one from a function that holds a
// conversation of lines:
//
//	s, err := loopback.Serve("echo", "", 0, func(c *loopback.Conn) {
//		if line, err := c.Line(); err == nil {
//			fmt.Fprintf(c, "%s\r\n", line)
//		}
//	})
//	defer s.Close()
//	// s.URL is "echo://127.0.0.1:PORT"; s.Transcript() returns the lines received
//
// Start and StartPackets are for servers of frames and of datagrams. Close ends all connections and leaves no goroutine running.
package loopback

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// errClosed is returned by Track after Close.
var errClosed = errors.New("loopback: server closed")

// A Listener holds a listening socket and what must be closed with it. Its methods may be called concurrently.
type Listener struct {
	end    io.Closer // the listener, or the socket of datagrams
	addr   net.Addr
	on     Network
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	receive func(from net.Addr, datagram []byte, reply func([]byte)) // of StartPackets

	mu      sync.Mutex
	open    map[io.Closer]struct{}
	closed  bool
	log     []string
	peers   int                   // connections accepted
	served  map[net.Conn]struct{} // connections still served
	paused  int                   // goroutines in Sleep, and others that wait
	limit   time.Duration         // of settle: maxSettle, except in its tests
	watcher Watcher               // nil if there is none

	turnsMu sync.Mutex
	turns   map[string]chan struct{} // connections of sync, by their local address
}

// Listen listens on addr, by default on a free port of 127.0.0.1, and calls serve in a new goroutine for each connection. The connection is
// closed when serve returns, or earlier by Close.
func Listen(addr string, serve func(net.Conn)) (*Listener, error) {
	s, err := open(nil, addr)
	if err == nil {
		s.start(serve)
	}
	return s, err
}

// open listens on a Network. nil means the system's.
func open(on Network, addr string) (*Listener, error) {
	if on == nil {
		on = system{}
	}
	ln, err := on.Listen("tcp", cmp.Or(addr, free))
	if err != nil {
		return nil, err
	}
	return newListener(on, ln, ln.Addr()), nil
}

// free is the address of a free port.
const free = "127.0.0.1:0"

func newListener(on Network, end io.Closer, addr net.Addr) *Listener {
	s := &Listener{on: on, end: end, addr: addr, open: make(map[io.Closer]struct{}), served: make(map[net.Conn]struct{}), limit: maxSettle}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

func (s *Listener) start(serve func(net.Conn)) {
	s.Go(func() { s.accept(s.end.(net.Listener), serve) })
}

// Addr returns the host:port that clients dial.
func (s *Listener) Addr() string { return s.addr.String() }

// Context returns a context that Close cancels.
func (s *Listener) Context() context.Context { return s.ctx }

func (s *Listener) accept(ln net.Listener, serve func(net.Conn)) {
	for {
		c, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, or the client has closed already
			s.Sleep(tick)
			continue
		}
		s.settle()
		if s.isTurn(c.RemoteAddr()) {
			c.Close()
			continue
		}
		if s.Track(c) == nil {
			s.begin(c)
			s.Go(func() {
				defer s.finish(c)
				at := s.Observed(c, false)
				if at != c {
					defer at.Close()
				}
				serve(at)
			})
		}
	}
}

func (s *Listener) begin(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served[c] = struct{}{}
	s.peers++
}

func (s *Listener) finish(c net.Conn) {
	s.mu.Lock()
	delete(s.served, c)
	s.mu.Unlock()
	s.Untrack(c)
}

// Wait waits until no connection is served, but not longer than d. It reports false if the time was not enough.
func (s *Listener) Wait(d time.Duration) bool {
	s.sync()
	here := 0
	Poll(d, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		here = len(s.served)
		return here == 0 || s.closed
	})
	return here == 0
}

// Go runs f in a goroutine that Close waits for. It must only be called by serve, or by a goroutine that Go started.
func (s *Listener) Go(f func()) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		f()
	}()
}

// Track makes Close close c. After Close it closes c and returns an error.
func (s *Listener) Track(c io.Closer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return errClosed
	}
	s.open[c] = struct{}{}
	return nil
}

// Untrack closes c, which Close does not need to close any more.
func (s *Listener) Untrack(c io.Closer) {
	s.mu.Lock()
	delete(s.open, c)
	s.mu.Unlock()
	c.Close()
}

// Sleep waits for d and reports whether the server is still open.
func (s *Listener) Sleep(d time.Duration) bool {
	if d <= 0 {
		return s.ctx.Err() == nil
	}
	defer s.Pause()()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// Close stops listening, closes all connections, and returns when all goroutines of the server have ended. It may be called again.
func (s *Listener) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	var err error
	if first {
		s.cancel()
		stopListening(s.end)
		err = s.end.Close()
	}
	s.wg.Wait()
	return err
}
