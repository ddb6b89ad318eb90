package fetchtest

import (
	"context"
	"net"
	"net/netip"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
)

// Attach makes all connections and UDP sockets of c go through the Relay, also those of its Dialer, Datagrams and Listener. It must be called
// before c is used. If c has no Dialer, its Policy checks the host of a URI as for a proxy: only if it is an address.
func (r *Relay) Attach(c *fetch.Client) {
	dial, packets, listen := c.Dialer, c.Datagrams, c.Listener
	c.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return r.dial(ctx, dial, network, addr)
	}
	c.Datagrams = func(ctx context.Context, addr string) (net.PacketConn, netip.AddrPort, error) {
		return r.packets(ctx, packets, addr)
	}
	c.Listener = func(near net.Conn) (net.Listener, error) { return r.listener(listen, near) }
}

type dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

func (r *Relay) dial(ctx context.Context, dial dialer, network, addr string) (net.Conn, error) {
	n, f := r.next()
	timer := time.NewTimer(2 * f.Latency) // SYN, and SYN with ACK
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if f.Refuse {
		return nil, &net.OpError{Op: "dial", Net: network, Err: loopback.ErrRefused}
	}
	var far net.Conn
	var err error
	if dial != nil {
		far, err = dial(ctx, network, addr)
	}
	if far == nil && err == nil {
		far, err = new(net.Dialer).DialContext(ctx, network, addr)
	}
	if err != nil {
		return nil, err
	}
	l, err := r.join(far, n, f)
	return l.end(), err
}

func (r *Relay) packets(ctx context.Context, open func(context.Context, string) (net.PacketConn, netip.AddrPort, error), addr string) (net.PacketConn, netip.AddrPort, error) {
	var far net.PacketConn
	var peer netip.AddrPort
	var err error
	if open != nil {
		far, peer, err = open(ctx, addr)
	}
	if far == nil && err == nil {
		if peer, err = udpPeer(addr); err == nil {
			far, err = net.ListenUDP("udp", nil)
		}
	}
	if err != nil {
		return nil, peer, err
	}
	n, f := r.next()
	s := newSocket(far, f, func(b int) { r.add(n, int64(b)) })
	return s, peer, r.start(s, s.run)
}

func (r *Relay) listener(listen func(net.Conn) (net.Listener, error), near net.Conn) (net.Listener, error) {
	if listen == nil {
		listen = listenNear
	}
	ln, err := listen(near)
	if err != nil {
		return nil, err
	}
	return acceptor{ln, r}, nil
}

// listenNear listens on the address that near has, as a Client without a Listener does.
func listenNear(near net.Conn) (net.Listener, error) {
	local, ok := near.LocalAddr().(*net.TCPAddr)
	if !ok {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "no address to listen on")
	}
	return net.ListenTCP("tcp", &net.TCPAddr{IP: local.IP, Zone: local.Zone})
}

// An acceptor makes the connections that a server opens go through the Relay.
type acceptor struct {
	net.Listener
	relay *Relay
}

func (a acceptor) Accept() (net.Conn, error) {
	far, err := a.Listener.Accept()
	if err != nil {
		return nil, err
	}
	n, f := a.relay.next()
	l, err := a.relay.join(far, n, f)
	return l.end(), err
}
