package loopback

import (
	"errors"
	"io"
	"net"
	"strconv"
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
