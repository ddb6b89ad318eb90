package loopback

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// A reserved port refuses connections, except while a server listens there, and one server after the other can.
func TestReserve(t *testing.T) {
	addr := Reserve(t)
	refused := func() {
		t.Helper()
		c, err := net.Dial("tcp", addr)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("got %v, want %v", err, syscall.ECONNREFUSED)
		}
		if err == nil {
			c.Close()
		}
	}
	refused()
	for round := range 3 {
		s, err := Serve("echo", addr, 0, func(c *Conn) { c.WriteString(strconv.Itoa(round)) })
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(dial(t, "tcp", addr))
		if string(got) != strconv.Itoa(round) || err != nil || s.Addr != addr {
			t.Errorf("got %q, %v from %s, want %d from %s", got, err, s.Addr, round, addr)
		}
		s.Close()
		refused()
	}
}

// Another server can listen at once, also while programs are being started: they have the listener until they execute.
func TestReserveWhileProgramsStart(t *testing.T) {
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var starting sync.WaitGroup
	defer starting.Wait()
	defer cancel()
	for range 4 {
		starting.Go(func() {
			for ctx.Err() == nil {
				exec.CommandContext(ctx, program).Run()
			}
		})
	}
	addr := Reserve(t)
	for range 200 {
		s, err := Serve("echo", addr, 0, func(*Conn) {})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
}
