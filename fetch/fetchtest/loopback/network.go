package loopback

import (
	"context"
	"net"
	"net/netip"
)

// A Network is where a server listens: the system's network, or one in memory such as a fetchtest.Network.
type Network interface {
	Listen(network, addr string) (net.Listener, error)
	// Dial connects to a host and port, from the given host or from any.
	Dial(ctx context.Context, network string, from netip.Addr, to string) (net.Conn, error)
}

// system is the network of the system.
type system struct{}

func (system) Listen(network, addr string) (net.Listener, error) { return net.Listen(network, addr) }

func (system) Dial(ctx context.Context, network string, from netip.Addr, to string) (net.Conn, error) {
	var d net.Dialer
	if from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	return d.DialContext(ctx, network, to)
}
