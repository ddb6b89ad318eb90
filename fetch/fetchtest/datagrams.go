package fetchtest

import (
	"context"
	"net"
	"net/netip"
)

// Datagrams returns a Client's Datagrams, whose peer is in memory: answer responds to each datagram of the Client. It may be the Answer of
// a loopback.Listener.
func Datagrams(answer func(datagram []byte, reply func([]byte))) func(context.Context, string) (net.PacketConn, netip.AddrPort, error) {
	return func(context.Context, string) (net.PacketConn, netip.AddrPort, error) {
		c, _ := Pipe()
		c.in.datagrams = true
		peer := netip.MustParseAddrPort("127.0.0.1:9")
		c.remote = net.UDPAddrFromAddrPort(peer)
		return datagrams{c, answer}, peer, nil
	}
}

// datagrams is a socket whose peer answers at once.
type datagrams struct {
	*Conn
	answer func(datagram []byte, reply func([]byte))
}

func (d datagrams) ReadFrom(b []byte) (int, net.Addr, error) { return d.in.read(b) }

func (d datagrams) WriteTo(b []byte, _ net.Addr) (int, error) {
	d.answer(b, func(p []byte) { d.in.write(p, d.remote) })
	return len(b), nil
}
