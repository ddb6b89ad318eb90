package loopback

import (
	"io"
	"net"
	"runtime"
	"strconv"
	"testing"
	"time"
)

func echo(c net.Conn) { io.Copy(c, c) }

// start listens on a free port until the test ends.
func start(t *testing.T, serve func(net.Conn)) *Listener {
	t.Helper()
	s, err := Listen("", serve)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// dial connects to addr until the test ends.
func dial(t *testing.T, network, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	s := start(t, echo)
	for range 5 {
		c := dial(t, "tcp", s.Addr())
		c.Write([]byte("x"))
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Peers() != 5 {
		t.Errorf("got %d peers, want 5", s.Peers())
	}
	s.Close()
	s.Close()
	// a goroutine that has called Done may still be on its last instruction
	Until(t, "end of all goroutines", func() bool { return runtime.NumGoroutine() <= before })
	if c, err := net.Dial("tcp", s.Addr()); err == nil {
		c.Close()
		t.Error("a connection can be opened after Close")
	}
}

func TestTrackAfterClose(t *testing.T) {
	s := start(t, echo)
	s.Close()
	r, w := net.Pipe()
	defer r.Close()
	if s.Track(w) == nil {
		t.Error("Track after Close returns nil, want an error")
	}
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("writing works, but Track after Close must close")
	}
	if s.Sleep(time.Hour) || s.Sleep(0) {
		t.Error("Sleep after Close returns true, want false")
	}
}

func TestAddressInUse(t *testing.T) {
	s := start(t, echo)
	if other, err := Listen(s.Addr(), echo); err == nil {
		other.Close()
		t.Error("listening twice on one address works")
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	s := start(t, echo)
	for i := range maxTranscript + 10 {
		s.Note(strconv.Itoa(i))
	}
	if n := len(s.Transcript()); n != maxTranscript {
		t.Errorf("got %d lines, want %d", n, maxTranscript)
	}
}

func TestWait(t *testing.T) {
	s := start(t, echo)
	c := dial(t, "tcp", s.Addr())
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
	if s.Wait(5 * time.Millisecond) {
		t.Error("Wait returns true while a client is connected")
	}
	c.Close()
	if !s.Wait(10 * time.Second) {
		t.Error("Wait returns false after the client has closed")
	}
}
