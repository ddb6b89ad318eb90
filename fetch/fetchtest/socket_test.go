package fetchtest

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

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
