package fetchtest

import (
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/net/nettest"
)

func TestPipe(t *testing.T) {
	nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
		a, b := Pipe()
		return a, b, func() { a.Close(); b.Close() }, nil
	})
}

// TestPipeHolds: both ends may write before either reads, and bytes written before a close can be read.
func TestPipeHolds(t *testing.T) {
	a, b := Pipe()
	io.WriteString(a, "one")
	io.WriteString(b, "two")
	a.CloseWrite()
	if got, err := io.ReadAll(b); string(got) != "one" || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, "one")
	}
	b.Close()
	if got, err := io.ReadAll(a); string(got) != "two" || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, "two")
	}
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("reading after Close: got %v, want %v", err, net.ErrClosed)
	}
	io.WriteString(a, "x")
	if _, err := io.WriteString(a, "x"); err == nil {
		t.Error("writing again to a peer that is gone: got no error")
	}
}
