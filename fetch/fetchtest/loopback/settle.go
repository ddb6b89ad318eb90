package loopback

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// A client may send a request and close its connection without waiting for the response. The kernel then holds both for a server whose
// goroutines have not run yet. Without synchronization a test that reads the Transcript, or that opens the next connection, would not know
// whether the request has been recorded. Two rules make it known:
//
//   - Connections are accepted in the order in which they were opened, and none is served before those whose clients have gone are done.
//   - Transcript and Wait first open a connection of their own: when its turn has come, all earlier ones have been accepted and are done.

const (
	// maxSettle bounds the wait for a server that is busy with something else, such as a slow file system.
	maxSettle = 2 * time.Second
	// maxPeers is how many connections are examined. A server with more of them is under load, and no test reads its transcript.
	maxPeers = 64
	// tick is the first polling interval, for things that take microseconds.
	tick = time.Millisecond
	// maxTick is the longest polling interval.
	maxTick = 20 * time.Millisecond
)

// settle waits until every connection that its client has closed is served completely.
func (s *Listener) settle() {
	s.mu.Lock()
	limit := s.limit
	s.mu.Unlock()
	Poll(limit, func() bool { return !s.unsettled() })
}

// Poll calls f until it returns true or the time is over, and returns its last result. It is for what the system reports by no event, such as the
// number of goroutines.
func Poll(limit time.Duration, f func() bool) bool {
	end := time.Now().Add(limit)
	for wait := tick; ; wait = min(2*wait, maxTick) {
		if f() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(wait)
	}
}

// unsettled reports whether a connection is still served although its client has gone. It does not count
// those whose server pauses on purpose.
func (s *Listener) unsettled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.served) > maxPeers {
		return false
	}
	n := 0
	for c := range s.served {
		if gone(c) {
			n++
		}
	}
	return n > s.paused
}

// Pause tells the server that the calling goroutine now waits for something other than its connection, until it calls resume. Others need
// not wait for it then, even if its client has closed the connection.
func (s *Listener) Pause() (resume func()) {
	s.addPaused(1)
	return func() { s.addPaused(-1) }
}

func (s *Listener) addPaused(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused += n
}

// sync returns when all connections that were opened before are accepted, and those whose clients have gone are done. For a server over
// UDP it returns when all datagrams that were sent before have been handled.
func (s *Listener) sync() {
	own, turn := s.queue()
	if own == nil {
		return
	}
	defer own.Close()
	if s.addr.Network() == "udp" {
		own.Write([]byte{0})
	}
	s.mu.Lock()
	late := time.NewTimer(2 * s.limit) // a datagram may be lost
	s.mu.Unlock()
	defer late.Stop()
	select {
	case <-turn:
	case <-s.ctx.Done():
	case <-late.C:
	}
}

// queue opens a connection to the server. turn is closed when the server has accepted it. It returns nil if the server is closed.
func (s *Listener) queue() (own net.Conn, turn chan struct{}) {
	if s.ctx.Err() != nil {
		return nil, nil
	}
	s.turnsMu.Lock() // held while dialing: the server must not accept the connection before it is in the table
	defer s.turnsMu.Unlock()
	ctx, cancel := context.WithTimeout(s.ctx, maxSettle)
	defer cancel()
	own, err := s.on.Dial(ctx, s.addr.Network(), netip.Addr{}, s.addr.String())
	if err != nil {
		return nil, nil
	}
	if s.turns == nil {
		s.turns = make(map[string]chan struct{})
	}
	turn = make(chan struct{})
	s.turns[own.LocalAddr().String()] = turn
	return own, turn
}

// isTurn reports whether a connection belongs to sync and is the next in its order.
func (s *Listener) isTurn(from net.Addr) bool {
	s.turnsMu.Lock()
	defer s.turnsMu.Unlock()
	turn, ok := s.turns[from.String()]
	if ok {
		delete(s.turns, from.String())
		close(turn)
	}
	return ok
}
