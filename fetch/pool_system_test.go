package fetch_test

import (
	"io"
	"net"
	"testing"

	"example.org/deref/fetch"
)

// A real connection that the server has closed is dropped from the pool, too: the kernel reports its state.
func TestPoolDropsTheStaleOfTheSystem(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	closed := make(chan struct{}, 2)
	go func() {
		defer close(done)
		for range 2 {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "ready\r\n")
			c.Read(make([]byte, 100))
			io.WriteString(c, "answer\r\n")
			c.Close()
			closed <- struct{}{}
		}
	}()
	c := fetch.New(scheme("a", leasing("", true)))
	for range 2 {
		if body, err := get(t, c, "a://"+ln.Addr().String()+"/1", nil); err != nil || body != "answer" {
			t.Errorf("got %q, %v, want answer", body, err)
		}
		<-closed
	}
	c.Close()
	ln.Close()
	<-done
}
