package schemetest

import (
	"context"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// Datagrams returns a Client's Datagrams, whose peer is in memory and responds to each datagram with those that answer returns.
func Datagrams(answer func([]byte) [][]byte) func(context.Context, string) (net.PacketConn, netip.AddrPort, error) {
	return func(context.Context, string) (net.PacketConn, netip.AddrPort, error) {
		s := &socket{answer: answer, come: make(chan []byte, 1000), over: make(chan struct{})}
		return s, netip.MustParseAddrPort("127.0.0.1:9"), nil
	}
}

// A socket is one of datagrams in memory.
type socket struct {
	net.PacketConn // for the methods that no Client calls
	answer         func([]byte) [][]byte
	come           chan []byte
	over           chan struct{}
	once           sync.Once
	by             time.Time
}

func (s *socket) WriteTo(b []byte, _ net.Addr) (int, error) {
	for _, d := range s.answer(b) {
		s.come <- d
	}
	return len(b), nil
}

func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) {
	late := time.NewTimer(time.Until(s.by))
	defer late.Stop()
	select {
	case d := <-s.come:
		return copy(b, d), &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}, nil
	case <-s.over:
		return 0, nil, net.ErrClosed
	case <-late.C:
		return 0, nil, os.ErrDeadlineExceeded
	}
}

func (s *socket) Close() error                      { s.once.Do(func() { close(s.over) }); return nil }
func (s *socket) SetReadDeadline(t time.Time) error { s.by = t; return nil }
