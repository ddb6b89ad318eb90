package dialogue

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"time"
)

// Datagrams opens a socket for the script's datagrams. It is a fetch.Client's Datagrams.
func (p *Player) Datagrams(ctx context.Context, addr string) (net.PacketConn, netip.AddrPort, error) {
	if err := ctx.Err(); err != nil {
		return nil, netip.AddrPort{}, err
	}
	peer := remote(addr).AddrPort()
	peer = netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port())
	return &socket{player: p, peer: net.UDPAddrFromAddrPort(peer)}, peer, nil
}

// datagram plays a line of connection 0. Caller holds mu.
func (p *Player) datagram(l *Line) bool {
	switch {
	case l.Dir == '*' && l.Mark == Delay:
		return p.delay(l)
	case l.Dir == 'S':
		p.out0 = append(p.out0, l.Data)
	case l.Dir == 'C' && len(p.received0) == 0:
		return false
	case l.Dir == 'C':
		received := p.received0[0]
		p.received0 = p.received0[1:]
		if !p.o.Loose && !l.describes(received) {
			p.fail(fmt.Errorf("line %d: the client sent the datagram %q, want %q", l.Pos, clip(received), clip(l.Data)))
		}
	}
	return true
}

// describes reports whether the datagram received matches the line or one of its alternatives.
func (l *Line) describes(received []byte) bool {
	return slices.ContainsFunc(l.forms(), func(form []byte) bool { return matchDatagram(form, received) })
}

// A socket is the client's end of connection 0.
type socket struct {
	player *Player
	peer   *net.UDPAddr
	closed bool
	readBy deadline
}

func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) {
	p := s.player
	p.mu.Lock()
	defer p.mu.Unlock()
	var w wait
	defer w.stop()
	for {
		switch {
		case s.closed:
			return 0, nil, net.ErrClosed
		case s.readBy.past():
			return 0, nil, os.ErrDeadlineExceeded
		case len(p.out0) > 0:
			n := copy(b, p.out0[0])
			p.out0 = p.out0[1:]
			return n, s.peer, nil
		}
		if err := p.lost(&w); err != nil {
			return 0, nil, err
		}
		p.wake.Wait()
	}
}

func (s *socket) WriteTo(b []byte, _ net.Addr) (int, error) {
	p := s.player
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.closed {
		return 0, net.ErrClosed
	}
	if !p.over {
		p.received0 = append(p.received0, append([]byte(nil), b...))
		p.allReceived0 = append(p.allReceived0, b...)
		p.advance()
	}
	return len(b), nil
}

func (s *socket) Close() error {
	s.player.mu.Lock()
	defer s.player.mu.Unlock()
	s.closed = true
	s.readBy.stop()
	s.player.wake.Broadcast()
	return nil
}

func (s *socket) LocalAddr() net.Addr                { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (s *socket) SetDeadline(t time.Time) error      { return s.SetReadDeadline(t) }
func (s *socket) SetReadDeadline(t time.Time) error  { return s.player.set(&s.readBy, t) }
func (s *socket) SetWriteDeadline(_ time.Time) error { return nil }
