package fetchtest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
)

const second = time.Second

// relayCases returns what a client receives from a server that sends 3000 bytes and closes. Durations begin before the client connects, and
// are by the clock of a bubble.
var relayCases = []struct {
	name string
	f    Faults
	want int // bytes
	err  error
	took time.Duration
}{
	{"none", Faults{}, 3000, nil, 0},
	{"latency", Faults{Latency: second}, 3000, nil, 3 * second},
	{"rate", Faults{Rate: 1000}, 3000, nil, 3 * second},
	{"latency and rate", Faults{Latency: second, Rate: 1000}, 3000, nil, 6 * second},
	{"loss", Faults{Loss: 2}, 3000, nil, retransmit},
	{"loss, sent again later", Faults{Loss: 2, Retransmit: second, Latency: second}, 3000, nil, 4 * second},
	{"cut", Faults{CutAt: 15}, 15, nil, 0},
	{"cut later", Faults{CutAt: 1500, Latency: second}, 1500, nil, 3 * second},
	{"reset", Faults{CutAt: 15, Reset: true}, 15, loopback.ErrReset, 0},
	{"half open", Faults{StallAt: 15}, 15, os.ErrDeadlineExceeded, patience},
	{"half open, other connection", Faults{StallAt: 15, Conn: 2}, 3000, nil, 0},
	{"corrupt", Faults{CorruptAt: 1}, 3000, nil, 0},
	{"refused", Faults{Refuse: true}, 0, loopback.ErrRefused, 0},
}

func served(n int, f Faults) string {
	b := []byte(strings.Repeat("0123456789", 300)[:n])
	if f.CorruptAt > 0 {
		b[f.CorruptAt] ^= 0xff
	}
	return string(b)
}

func TestRelayInMemory(t *testing.T) {
	for _, x := range relayCases {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := NewRelay(x.f)
				defer r.Close()
				start := time.Now()
				got, err := readThrough(r, func(far net.Conn) {
					io.WriteString(far, served(3000, Faults{}))
					far.Close()
				})
				if want := served(x.want, x.f); got != want || !errors.Is(err, x.err) {
					t.Errorf("got %d bytes and %v, want %d and %v", len(got), err, len(want), x.err)
				}
				if took := time.Since(start); took != x.took {
					t.Errorf("it took %s, want %s", took, x.took)
				}
				if got := r.Bytes(1); got != int64(x.want) {
					t.Errorf("%d bytes were passed on, want %d", got, x.want)
				}
			})
		})
	}
}

// readThrough reads everything that serve sends through the Relay.
func readThrough(r *Relay, serve func(net.Conn)) (string, error) {
	c, err := r.dial(context.Background(), func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go serve(far)
		return near, nil
	}, "tcp", "h:1")
	if err != nil {
		return "", err
	}
	defer c.Close()
	if r.faults.StallAt > 0 {
		c.SetDeadline(time.Now().Add(patience))
	}
	b, err := io.ReadAll(c)
	return string(b), err
}

// Sending takes as long as receiving, and the client's close reaches the server unless the connection is half open.
func TestRelayUpstream(t *testing.T) {
	for _, x := range []struct {
		name string
		f    Faults
		want string
		took time.Duration // from the client's connect to the end that the server sees, 0 for none
	}{
		{"end", Faults{Latency: second}, "C: hello", 3 * second},
		{"half open", Faults{Latency: second, StallAt: 1}, "", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := NewRelay(x.f)
				defer r.Close()
				near, far := net.Pipe()
				start := time.Now()
				c, err := r.dial(t.Context(), func(context.Context, string, string) (net.Conn, error) { return near, nil }, "tcp", "h:1")
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(far, "S")
				if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
				start = start.Add(second) // the delay of the server's byte
				io.WriteString(c, "C: hello")
				c.Close()
				far.SetDeadline(time.Now().Add(time.Hour))
				got, err := io.ReadAll(far)
				if string(got) != x.want || (err == nil) != (x.took > 0) {
					t.Errorf("the server got %q and %v, want %q", got, err, x.want)
				}
				if took := time.Since(start); x.took > 0 && took != x.took {
					t.Errorf("it took %s, want %s", took, x.took)
				}
			})
		})
	}
}

// A client cannot send any amount of data to a half-open connection: it waits, as on a socket.
func TestRelayBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRelay(Faults{StallAt: 1})
		defer r.Close()
		near, far := net.Pipe()
		defer far.Close()
		c, err := r.dial(t.Context(), func(context.Context, string, string) (net.Conn, error) { return near, nil }, "tcp", "h:1")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(far, "S")
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.SetDeadline(time.Now().Add(second))
		n, err := c.Write(make([]byte, 2*window))
		if !errors.Is(err, os.ErrDeadlineExceeded) || n < window || n > window+segment {
			t.Errorf("%d bytes were sent (%v), want about %d and a timeout", n, err, window)
		}
	})
}

// With Down, the host stays unreachable after the connection is cut.
func TestRelayDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRelay(Faults{CutAt: 3, Down: true})
		defer r.Close()
		serve := func(far net.Conn) {
			io.WriteString(far, "hello")
			far.Close()
		}
		for i, want := range []string{"hel", "", ""} {
			if got, err := readThrough(r, serve); got != want || (err != nil) != (i > 0) {
				t.Errorf("connection %d: got %q and %v, want %q", i+1, got, err, want)
			}
		}
	})
}

// A closed Relay returns errors.
func TestRelayClosed(t *testing.T) {
	r := NewRelay(Faults{})
	r.Close()
	r.Close()
	c := fetch.New(toyScheme(""))
	r.Attach(c)
	addr := loopback.ForTest(t, func(net.Conn) {})
	if _, err := c.Dialer(t.Context(), "tcp", addr); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Dial: got %v, want %v", err, net.ErrClosed)
	}
}

// echo is a UDP socket in memory that returns each datagram.
type echo struct {
	*line
	from net.Addr
}

func (e echo) WriteTo(b []byte, _ net.Addr) (int, error) { return e.write(b, e.from) }
func (e echo) ReadFrom(b []byte) (int, net.Addr, error)  { return e.read(b) }
func (e echo) Close() error                              { e.abort(); return nil }
func (e echo) LocalAddr() net.Addr                       { return e.from }
func (e echo) SetDeadline(time.Time) error               { return nil }
func (e echo) SetReadDeadline(time.Time) error           { return nil }
func (e echo) SetWriteDeadline(time.Time) error          { return nil }

func TestRelayDatagrams(t *testing.T) {
	for _, x := range []struct {
		name string
		f    Faults
		want string
		took time.Duration
	}{
		{"none", Faults{}, "abcdef", 0},
		{"latency", Faults{Latency: second}, "abcdef", 2 * second},
		{"loss", Faults{Loss: 3}, "abe", 0}, // c and f are lost on their way to the server, d on its way back
		{"half open", Faults{StallAt: 3}, "ab", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := NewRelay(x.f)
				defer r.Close()
				server := echo{newLine(Faults{}), net.UDPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.1:53"))}
				server.datagrams = true
				open := func(context.Context, string) (net.PacketConn, netip.AddrPort, error) {
					return server, netip.AddrPort{}, nil
				}
				s, _, err := r.packets(t.Context(), open, "h:53")
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				start := time.Now()
				for _, b := range "abcdef" {
					s.WriteTo([]byte(string(b)), server.from)
				}
				s.SetReadDeadline(start.Add(time.Hour))
				got, buf, took := "", make([]byte, 10), time.Duration(0)
				for {
					n, from, err := s.ReadFrom(buf)
					if err != nil {
						break
					}
					if from != server.from {
						t.Errorf("a datagram from %s, want %s", from, server.from)
					}
					got, took = got+string(buf[:n]), time.Since(start)
				}
				if got != x.want || took != x.took {
					t.Errorf("%q came after %s, want %q after %s", got, took, x.want, x.took)
				}
			})
		})
	}
}
