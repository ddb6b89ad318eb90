// Package loopback holds what the in-process servers of the schemes share:
// a listener that hands its connections (or datagrams) to one function, remembers
// everything that must be closed, and whose Close leaves no goroutine behind.
//
//	type Server struct {
//		loopback.Base // Addr, URL, Close, Transcript
//	}
//
//	func Listen(addr string) (*Server, error) {
//		s := &Server{}
//		return loopback.Start(s, "finger", addr, s.serve)
//	}
package loopback

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// errClosed is what Track answers once Close has begun.
var errClosed = errors.New("loopback: server closed")

// Server is a listener and all that depends on it. Its methods may be called
// from several goroutines.
type Server struct {
	end    io.Closer // the listener, or the socket of datagrams
	addr   net.Addr
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	open   map[io.Closer]struct{}
	closed bool
	log    []string
	peers  int                   // accepted so far
	served map[net.Conn]struct{} // of them, still served
	paused int                   // goroutines in Sleep, and others that wait
	limit  time.Duration         // of settle: maxSettle, but in its tests

	turnsMu sync.Mutex
	turns   map[string]chan struct{} // connections of sync, by their local address
}

// Listen opens addr ("" means a free port of 127.0.0.1) and calls serve in a
// goroutine of its own for every connection. The connection is closed when
// serve returns, or earlier by Close.
func Listen(addr string, serve func(net.Conn)) (*Server, error) {
	s, err := open(addr)
	if err == nil {
		s.start(serve)
	}
	return s, err
}

func open(addr string) (*Server, error) {
	ln, err := net.Listen("tcp", orFree(addr))
	if err != nil {
		return nil, err
	}
	return newServer(ln, ln.Addr()), nil
}

// orFree is addr, or a free port of 127.0.0.1.
func orFree(addr string) string {
	if addr == "" {
		return "127.0.0.1:0"
	}
	return addr
}

func newServer(end io.Closer, addr net.Addr) *Server {
	s := &Server{end: end, addr: addr, open: make(map[io.Closer]struct{}), served: make(map[net.Conn]struct{}), limit: maxSettle}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

func (s *Server) start(serve func(net.Conn)) {
	s.Go(func() { s.accept(s.end.(net.Listener), serve) })
}

// Addr is the host:port that clients dial.
func (s *Server) Addr() string { return s.addr.String() }

// Context ends when Close begins.
func (s *Server) Context() context.Context { return s.ctx }

func (s *Server) accept(ln net.Listener, serve func(net.Conn)) {
	for {
		c, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, or a client gone before its turn
			time.Sleep(tick)
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
				serve(c)
			})
		}
	}
}

func (s *Server) begin(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served[c] = struct{}{}
	s.peers++
}

func (s *Server) finish(c net.Conn) {
	s.mu.Lock()
	delete(s.served, c)
	s.mu.Unlock()
	s.Untrack(c)
}

// Wait returns when no connection is served any more, or after d, and reports
// which of the two it was.
func (s *Server) Wait(d time.Duration) bool {
	end := time.Now().Add(d)
	for s.sync(); ; time.Sleep(tick) {
		s.mu.Lock()
		here := len(s.served)
		s.mu.Unlock()
		if here == 0 {
			return true
		}
		if time.Now().After(end) || s.ctx.Err() != nil {
			return false
		}
	}
}

// Go runs f in a goroutine that Close waits for. It may only be called from
// serve, or from a goroutine that Go started.
func (s *Server) Go(f func()) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		f()
	}()
}

// Track has c closed by Close. After Close it closes c at once and fails.
func (s *Server) Track(c io.Closer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return errClosed
	}
	s.open[c] = struct{}{}
	return nil
}

// Untrack closes c and forgets it.
func (s *Server) Untrack(c io.Closer) {
	s.mu.Lock()
	delete(s.open, c)
	s.mu.Unlock()
	c.Close()
}

// Sleep waits for d, and reports whether the server is still open.
func (s *Server) Sleep(d time.Duration) bool {
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

// Close stops listening, closes every tracked connection, and returns when
// every goroutine of the server has ended. Closing twice is harmless.
func (s *Server) Close() error {
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
		err = s.end.Close()
	}
	s.wg.Wait()
	return err
}
