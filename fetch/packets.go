package fetch

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"example.org/deref/fetch/internal/secrets"
	"example.org/deref/fetch/policy"
)

// Packets is an unconnected UDP socket for one peer. Datagrams from other hosts are dropped, and nothing can be sent to another host. The peer may
// use any port. Waiting ends with the request.
type Packets struct {
	env   *Env
	sock  net.PacketConn
	peer  netip.AddrPort
	to    policy.Target // for the Policy
	trial *trial        // nil once an address has answered, or if there is only one
}

// Packets opens a UDP socket for addr ("host:port"). The host is looked up and checked as by Dial.
func (e *Env) Packets(ctx context.Context, addr string) (*Packets, error) {
	host, port, err := e.checkTarget(addr, nil)
	if err != nil {
		return nil, err
	}
	c := e.client
	if c.Policy.UnixSocket != "" {
		return nil, Errorf(ErrUnsupported, "datagrams cannot be sent to the Unix socket")
	}
	t := e.target("udp", host, port, nil)
	if err := c.Policy.denied(t); err != nil {
		return nil, err
	}
	if c.Datagrams != nil {
		if p, err := e.callersPackets(ctx, addr, host, port); p != nil || err != nil {
			return p, err
		}
	}
	ctx, cancel := withTimeout(ctx, c.timeouts.Connect)
	defer cancel()
	host = c.lookedUp(host, port)
	ips, err := c.names.AddressesOf(ctx, host, strconv.Itoa(port))
	if err != nil {
		return nil, connectError(ctx, err)
	}
	denied := error(Errorf(ErrDNS, "the host %s has no address", host))
	var peers []netip.AddrPort
	for _, ip := range ips {
		peer := netip.AddrPortFrom(ip.Unmap(), uint16(port))
		t.Addr = peer.Addr()
		if err := c.Policy.checkSocket(ctx, t, port, e.scheme); err != nil {
			denied = err
		} else if len(peers) < maxTrialPeers {
			peers = append(peers, peer)
		}
	}
	if len(peers) == 0 {
		return nil, denied
	}
	return e.packets(host, t, peers)
}

func (e *Env) packets(host string, t policy.Target, peers []netip.AddrPort) (*Packets, error) {
	network := "udp"
	switch isV6 := func(p netip.AddrPort) bool { return p.Addr().Is6() }; {
	case !slices.ContainsFunc(peers, isV6):
		network = "udp4"
	case !slices.ContainsFunc(peers, func(p netip.AddrPort) bool { return !isV6(p) }):
		network = "udp6"
	}
	var sock *net.UDPConn
	err := e.client.withDescriptor(&e.ctx, func() (err error) { sock, err = net.ListenUDP(network, nil); return err })
	if err != nil {
		return nil, connectError(&e.ctx, err)
	}
	p := e.lendPackets(sock, t, peers[0])
	if len(peers) > 1 {
		p.trial = &trial{host: host, peers: peers, tried: 1}
	}
	return p, nil
}

// callersPackets calls Client.Datagrams for the socket. It returns nil, nil if the Client is to open its own.
func (e *Env) callersPackets(ctx context.Context, addr, host string, port int) (*Packets, error) {
	d := &dialing{Env: e, target: e.target("udp", host, port, nil), port: port}
	if err := d.check(ctx, host); err != nil {
		return nil, err
	}
	var sock net.PacketConn
	var peer netip.AddrPort
	var err error
	e.callback(func() { sock, peer, err = e.client.Datagrams(context.WithValue(ctx, dialerKey{}, d), addr) })
	if err != nil {
		return nil, connectError(ctx, err)
	}
	if sock == nil {
		return nil, nil
	}
	if d.strict && !d.passed.Load() {
		sock.Close()
		return nil, d.unchecked()
	}
	return e.lendPackets(sock, d.target, peer), nil
}

func (e *Env) lendPackets(sock net.PacketConn, t policy.Target, peer netip.AddrPort) *Packets {
	p := &Packets{env: e, sock: sock, peer: peer, to: t}
	e.own(p)
	return p
}

// Peer returns the peer's address. If the host has several, it is the first one until one of them has answered.
func (p *Packets) Peer() *net.UDPAddr { return net.UDPAddrFromAddrPort(p.peer) }

// Send sends a datagram to the peer's host. port 0 means the port of Packets' addr.
func (p *Packets) Send(b []byte, port int) error { return p.SendShown(b, b, port) }

// SendShown is Send for a datagram with parts that differ each time or are made with a key. The trace contains shown instead, with "***" in
// place of these parts.
func (p *Packets) SendShown(b, shown []byte, port int) error {
	to, err := p.at(p.peer, port)
	if err != nil {
		return err
	}
	p.report(FromClient, b, shown)
	if p.trial != nil {
		return p.error(p.sendTo(b, port))
	}
	_, err = p.sock.WriteTo(b, net.UDPAddrFromAddrPort(to))
	return p.error(err)
}

// at returns the address of another port of peer, if the Policy allows it. 0 means peer itself.
func (p *Packets) at(peer netip.AddrPort, port int) (netip.AddrPort, error) {
	if port == 0 {
		return peer, nil
	}
	t := p.to
	t.Addr = peer.Addr().Unmap()
	return netip.AddrPortFrom(peer.Addr(), uint16(port)), p.env.client.Policy.checkSocket(&p.env.ctx, t, port, p.env.scheme)
}

// Receive waits until t for a datagram from the peer's host. It returns its length and source port.
func (p *Packets) Receive(b []byte, t time.Time) (n, port int, err error) {
	for {
		more := p.waitUntil(t)
		n, addr, err := p.sock.ReadFrom(b)
		if err != nil && more && isTimeout(err) && p.env.ctx.Err() == nil {
			p.sendToNext()
			continue
		}
		if err != nil {
			return 0, 0, p.error(err)
		}
		udp, ok := addr.(*net.UDPAddr)
		if !ok {
			continue
		}
		if from := udp.AddrPort(); p.isPeer(from.Addr().Unmap()) {
			p.report(FromServer, b[:n], b[:n])
			p.answered(from)
			return n, int(from.Port()), nil
		}
	}
}

// answered notes the first peer that has answered, unless the socket is one of a replay.
func (p *Packets) answered(from netip.AddrPort) {
	e := p.env
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, isOwn := p.sock.(*net.UDPConn); isOwn && !e.remote.IsValid() {
		e.remote = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	}
}

// report puts the datagram frame into the trace as the bytes b. One from an SNMP agent repeats the community in its head (RFC 1901 section 3). Everything else in it may
// be part of a document.
func (p *Packets) report(dir byte, frame, b []byte) {
	e := p.env
	if e.trace == nil {
		return
	}
	words := e.decodeDatagram(dir, frame)
	if dir == FromClient {
		b = e.secrets.MaskBytes(b)
	} else {
		b = e.secrets.MaskCommunity(b)
		e.watchBody(&secrets.Tail{}, b)
	}
	e.trace(Event{Time: now(), Dir: dir, Data: b, Frames: words})
}

func (p *Packets) error(err error) error {
	if err == nil {
		return nil
	}
	if p.env.ctx.Err() != nil {
		return contextError(&p.env.ctx)
	}
	return transportError(err, false)
}

// Close closes the socket.
func (p *Packets) Close() error { return p.sock.Close() }
