//go:build unix

package hubtest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// A Relay is the network between workers and the hub, which can be cut.
type Relay struct {
	to string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// NewRelay relays connections to addr to the address to, until the test ends.
func NewRelay(t *testing.T, to string) (r *Relay, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r = &Relay{to: to, conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		r.Cut(true)
		all.Wait()
	})
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { r.serve(c) })
		}
	})
	return r, l.Addr().String()
}

func (r *Relay) serve(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", r.to)
	if err != nil {
		return
	}
	defer far.Close()
	if !r.enter(near, far) {
		return
	}
	defer r.leave(near, far)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(far, near)
		far.Close()
	}()
	io.Copy(near, far)
	near.Close()
	<-ended
}

// enter returns false while the network is cut.
func (r *Relay) enter(list ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut {
		return false
	}
	for _, c := range list {
		r.conns[c] = true
	}
	return true
}

func (r *Relay) leave(list ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range list {
		delete(r.conns, c)
	}
}

// Cut breaks all connections, and refuses others until it is called with false.
func (r *Relay) Cut(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut = cut; cut {
		for c := range r.conns {
			c.Close()
		}
	}
}
