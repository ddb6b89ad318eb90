package fetchtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"golang.org/x/net/nettest"
)

// hello starts a server of package loopback in n that greets, and reads the client's line.
func hello(t *testing.T, n *Network) *loopback.Server {
	t.Helper()
	s := &loopback.Server{Network: n}
	_, err := loopback.Start(s, "x", "", func(c net.Conn) {
		io.WriteString(c, "hello")
		line, _ := io.ReadAll(c)
		time.Sleep(time.Second)
		s.Net.Note(string(line))
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A server of package loopback works in a Network as on sockets: the transcript has also the lines of clients that have left.
func TestNetworkServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		s := hello(t, &n)
		for i := range 3 {
			c, err := n.Dial(t.Context(), "tcp", netip.Addr{}, s.Addr)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(c, i)
			c.Close()
		}
		if got, want := s.Transcript(), []string{"0", "1", "2"}; !slices.Equal(got, want) || s.Sessions() != 3 {
			t.Errorf("got %q in %d sessions, want %q in 3", got, s.Sessions(), want)
		}
		c, err := n.Dial(t.Context(), "tcp", netip.MustParseAddr("127.0.0.2"), s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		if from := c.LocalAddr().(*net.TCPAddr); from.IP.String() != "127.0.0.2" || c.RemoteAddr().String() != s.Addr {
			t.Errorf("got a connection from %s to %s, want 127.0.0.2, %s", from, c.RemoteAddr(), s.Addr)
		}
		synctest.Wait() // until it is served
		s.Close()
		if got, err := io.ReadAll(c); string(got) != "hello" || err != nil {
			t.Errorf("after the server's Close: got %q, %v, want hello", got, err)
		}
	})
}

// Nobody listens before Listen and after Close, and only one on an address. A connection that nobody has accepted ends with its listener.
func TestNetworkRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		l, err := n.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		if _, err := n.Listen("tcp", addr); err == nil {
			t.Error("two servers listen on one address")
		}
		waiting, err := n.Dial(t.Context(), "tcp", netip.Addr{}, addr)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if b, err := io.ReadAll(waiting); len(b) > 0 || err != nil {
			t.Errorf("got %q, %v, want the end", b, err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept after Close: got %v, want %v", err, net.ErrClosed)
		}
		if _, err := n.Dial(t.Context(), "tcp", netip.Addr{}, addr); !errors.Is(err, loopback.ErrRefused) {
			t.Errorf("got %v, want %v", err, loopback.ErrRefused)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := n.Dial(ctx, "tcp", netip.Addr{}, addr); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		if again, err := n.Listen("tcp", addr); err != nil {
			t.Errorf("listening again: got %v", err)
		} else {
			again.Close()
		}
	})
}

// A peer that does not read makes Write wait, until its deadline or the peer's reset.
func TestPipeFills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		a.SetWriteDeadline(time.Now().Add(time.Hour))
		if n, err := a.Write(make([]byte, 2*window)); n < window || n > window+segment || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %d bytes, %v, want about %d and the deadline", n, err, window)
		}
		b.SetLinger(0)
		b.Close()
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, loopback.ErrReset) {
			t.Errorf("got %v, want %v", err, loopback.ErrReset)
		}
	})
}

func TestPipe(t *testing.T) {
	t.Parallel()
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
