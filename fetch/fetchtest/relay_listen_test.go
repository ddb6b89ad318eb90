package fetchtest

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
)

// TestRelayListen applies the faults to real sockets, without those of time. There only the order of the bytes and of the end is exact.
func TestRelayListen(t *testing.T) {
	target := greeter(t, served(3000, Faults{}))
	for _, x := range relayCases {
		if x.f.Latency > 0 || x.f.Rate > 0 {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			r := NewRelay(x.f)
			defer r.Close()
			addr, err := r.Listen(target)
			if err != nil {
				t.Fatal(err)
			}
			got, err := hear(t, addr, x.err == os.ErrDeadlineExceeded, x.want)
			if x.f.Reset || x.f.Refuse { // a RST may discard earlier bytes, and a listener cannot refuse connections
				if x.f.Reset && !errors.Is(err, x.err) || got != "" && got != served(x.want, x.f) {
					t.Errorf("got %d bytes and %v, want up to %d and %v", len(got), err, x.want, x.err)
				}
			} else if want := served(x.want, x.f); got != want || !errors.Is(err, x.err) {
				t.Errorf("got %d bytes and %v, want %d and %v", len(got), err, len(want), x.err)
			}
			if r.Connections() != 1 {
				t.Errorf("%d connections, want 1", r.Connections())
			}
		})
	}
}

func TestRelayBreak(t *testing.T) {
	r := NewRelay(Faults{StallAt: 3000})
	defer r.Close()
	addr, err := r.Listen(greeter(t, served(3000, Faults{})))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, 3000)); err != nil {
		t.Fatal(err)
	}
	r.Break()
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("after Break: the connection is open")
	}
	r.Set(Faults{})
	if got, err := hear(t, addr, false, 3000); len(got) != 3000 || err != nil {
		t.Errorf("after Break: got %d bytes and %v from the next connection, want 3000 and no error", len(got), err)
	}
}

// A closed Relay returns errors.
func TestRelayClosed(t *testing.T) {
	r := NewRelay(Faults{})
	r.Close()
	r.Close()
	if _, err := r.Listen("127.0.0.1:1"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Listen: got %v, want %v", err, net.ErrClosed)
	}
	c := fetch.New(toyScheme(""))
	r.Attach(c)
	if _, err := c.Dialer(t.Context(), "tcp", greeter(t, "")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Dial: got %v, want %v", err, net.ErrClosed)
	}
}

// greeter sends text to each client and closes.
func greeter(t *testing.T, text string) string {
	t.Helper()
	return loopback.ForTest(t, func(c net.Conn) { io.WriteString(c, text) })
}

// hear returns what a client receives until the end of the connection or, if that stalls, what comes after n bytes within a moment, too.
func hear(t *testing.T, addr string, stalls bool, n int) (string, error) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return "", err // a reset may be that fast
	}
	defer c.Close()
	var text []byte
	if stalls {
		text = make([]byte, n)
		if _, err := io.ReadFull(c, text); err != nil {
			return "", err
		}
		c.SetDeadline(time.Now().Add(300 * time.Millisecond))
	}
	b, err := io.ReadAll(c)
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		err = os.ErrDeadlineExceeded
	}
	return string(append(text, b...)), err
}
