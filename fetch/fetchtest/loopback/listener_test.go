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

func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := Listen("", echo)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		c, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.Write([]byte("x"))
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Peers() != 5 {
		t.Errorf("%d peers", s.Peers())
	}
	s.Close()
	s.Close()
	for range 100 { // a goroutine that has called Done may still be on its last instruction
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
	if c, err := net.Dial("tcp", s.Addr()); err == nil {
		c.Close()
		t.Error("still listening")
	}
}

func TestTrackAfterClose(t *testing.T) {
	s, err := Listen("", echo)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	r, w := net.Pipe()
	defer r.Close()
	if s.Track(w) == nil {
		t.Error("tracked after Close")
	}
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("not closed by Track")
	}
	if s.Sleep(time.Hour) || s.Sleep(0) {
		t.Error("slept after Close")
	}
}

func TestAddressInUse(t *testing.T) {
	s, err := Listen("", echo)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if other, err := Listen(s.Addr(), echo); err == nil {
		other.Close()
		t.Error("listened twice")
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	s, err := Listen("", echo)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range maxTranscript + 10 {
		s.Note(strconv.Itoa(i))
	}
	if n := len(s.Transcript()); n != maxTranscript {
		t.Errorf("%d lines", n)
	}
}

func TestWait(t *testing.T) {
	s, err := Listen("", echo)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
	if s.Wait(5 * time.Millisecond) {
		t.Error("waited for nobody, while one is there")
	}
	c.Close()
	if !s.Wait(10 * time.Second) {
		t.Error("still waiting for one who has gone")
	}
}
