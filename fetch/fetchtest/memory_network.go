package fetchtest

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
)

// A Network is a network in memory, on which servers of package loopback listen and which a Client uses after Attach. In a bubble of
// testing/synctest neither waits in real time. The zero value is ready for use. Hosts have no names, only addresses.
type Network struct {
	mu     sync.Mutex
	served map[netip.AddrPort]*listener
	ports  uint16 // given by free
}

// Attach makes c connect and listen on the Network. It must be called before c is used.
func (n *Network) Attach(c *fetch.Client) {
	c.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return n.Dial(ctx, network, netip.Addr{}, addr)
	}
	c.Listener = func(near net.Conn) (net.Listener, error) {
		return n.Listen("tcp", net.JoinHostPort(near.LocalAddr().(*net.TCPAddr).IP.String(), "0"))
	}
}

// Dial connects to a host and port, from the given host or by default from the same one.
func (n *Network) Dial(ctx context.Context, network string, from netip.Addr, to string) (net.Conn, error) {
	addr, err := netip.ParseAddrPort(to)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if !from.IsValid() {
		from = addr.Addr()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	near, far := connect(netip.AddrPortFrom(from, n.free()), addr)
	if l, ok := n.served[addr]; ok {
		select {
		case l.queue <- far:
			return near, nil
		default:
		}
	}
	return nil, &net.OpError{Op: "dial", Net: network, Addr: near.RemoteAddr(), Err: loopback.ErrRefused}
}

// Listen listens on a host and port, or on a free port if that is 0.
func (n *Network) Listen(_, addr string) (net.Listener, error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.Port() == 0 {
		at = netip.AddrPortFrom(at.Addr(), n.free())
	}
	l := &listener{n, at, make(chan net.Conn, backlog)}
	if _, ok := n.served[at]; ok {
		return nil, fmt.Errorf("listen %s: address already in use", addr)
	}
	if n.served == nil {
		n.served = map[netip.AddrPort]*listener{}
	}
	n.served[at] = l
	return l, nil
}

// firstPort is the first port that is chosen automatically. Clients refuse some ports below it.
const firstPort = 1 << 15

// free returns a port that was not used before. Caller holds mu.
func (n *Network) free() uint16 {
	n.ports++
	return n.ports | firstPort
}

// backlog is how many connections wait for Accept.
const backlog = 100

type listener struct {
	network *Network
	addr    netip.AddrPort
	queue   chan net.Conn
}

func (l *listener) Addr() net.Addr { return net.TCPAddrFromAddrPort(l.addr) }

func (l *listener) Accept() (net.Conn, error) {
	if c, ok := <-l.queue; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l *listener) Close() error {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	if l.network.served[l.addr] != l {
		return net.ErrClosed
	}
	delete(l.network.served, l.addr)
	close(l.queue)
	for c := range l.queue {
		c.Close()
	}
	return nil
}
