package fetchtest

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// A socket is a UDP socket through a Relay. It delays only what it receives; a client cannot tell that from a delay in each direction.
type socket struct {
	net.PacketConn
	down  *line
	count func(n int) // counts bytes that are passed on
	mu    sync.Mutex
	up    int // datagrams sent
}

func newSocket(far net.PacketConn, f Faults, count func(n int)) *socket {
	f.Latency *= 2
	s := &socket{PacketConn: far, down: newLine(f), count: count}
	s.down.datagrams = true
	return s
}

func (s *socket) run() {
	defer s.Close()
	buf := make([]byte, 64<<10)
	for passed := int64(0); ; {
		n, from, err := s.PacketConn.ReadFrom(buf)
		if err != nil {
			return
		}
		if passed += int64(n); s.down.StallAt > 0 && passed >= s.down.StallAt {
			continue
		}
		if i := s.down.CorruptAt - passed + int64(n); s.down.CorruptAt > 0 && i >= 0 && i < int64(n) {
			buf[i] ^= 0xff
		}
		s.count(n)
		if _, err := s.down.write(buf[:n], from); err != nil {
			return
		}
		if s.down.Twice {
			s.down.write(buf[:n], from)
		}
	}
}

func (s *socket) WriteTo(b []byte, to net.Addr) (int, error) {
	s.mu.Lock()
	s.up++
	lost := s.down.Loss > 0 && s.up%s.down.Loss == 0
	s.mu.Unlock()
	if lost {
		return len(b), nil
	}
	return s.PacketConn.WriteTo(b, to)
}

func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) { return s.down.read(b) }
func (s *socket) SetDeadline(t time.Time) error            { return s.SetReadDeadline(t) }

func (s *socket) SetReadDeadline(t time.Time) error {
	s.down.set(func() { s.down.readBy = t })
	return nil
}

func (s *socket) Close() error {
	s.down.abort()
	return s.PacketConn.Close()
}

// udpPeer resolves addr for a Client without its own Datagrams.
func udpPeer(addr string) (netip.AddrPort, error) {
	a, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return netip.AddrPort{}, err
	}
	return netip.AddrPortFrom(a.AddrPort().Addr().Unmap(), uint16(a.Port)), nil
}
