package resolve

import (
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// resolver returns a resolver that reads the TTLs in the answers of name servers, which package net does not return. Package net calls
// Resolver.Dial only if it sends the queries itself. If the system's library does, the TTL is unknown.
func (n *Names) resolver() *net.Resolver {
	r := &net.Resolver{Dial: reading(new(net.Dialer).DialContext)}
	if old := n.Resolver; old != nil {
		r.PreferGo, r.StrictErrors = old.PreferGo, old.StrictErrors
		if old.Dial != nil {
			r.Dial = reading(old.Dial)
		}
	}
	return r
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// reading wraps the connections to name servers. Package net recognizes datagrams by the methods of a net.PacketConn.
func reading(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := dial(ctx, network, address)
		seen, ok := ctx.Value(ttlKey{}).(*minTTL)
		if err != nil || !ok {
			return nc, err
		}
		if pc, ok := nc.(net.PacketConn); ok {
			return &dnsPackets{nc, pc, seen}, nil
		}
		return &dnsStream{Conn: nc, seen: seen}, nil
	}
}

// ttlKey is the context key of a minTTL.
type ttlKey struct{}

// A minTTL is the smallest TTL in the answers to one lookup.
type minTTL struct {
	mu    sync.Mutex
	least time.Duration // negative until an answer has one
}

// ttl returns how long the addresses are remembered.
func (h *minTTL) ttl() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.least < 0 {
		return unknownTTL
	}
	return min(h.least, longestTTL)
}

// read looks for TTLs in a DNS message. It ignores malformed messages, which the resolver rejects.
func (h *minTTL) read(message []byte) {
	var p dnsmessage.Parser
	head, err := p.Start(message)
	if err != nil || !head.Response || head.RCode != dnsmessage.RCodeSuccess || p.SkipAllQuestions() != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		r, err := p.AnswerHeader()
		if err != nil {
			return
		}
		if ttl := time.Duration(r.TTL) * time.Second; h.least < 0 || ttl < h.least {
			h.least = ttl
		}
		if p.SkipAnswer() != nil {
			return
		}
	}
}

// dnsPackets is a UDP socket to a name server.
type dnsPackets struct {
	net.Conn
	packets net.PacketConn
	seen    *minTTL
}

func (c *dnsPackets) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.seen.read(b[:n])
	return n, err
}

func (c *dnsPackets) ReadFrom(b []byte) (int, net.Addr, error)   { return c.packets.ReadFrom(b) }
func (c *dnsPackets) WriteTo(b []byte, to net.Addr) (int, error) { return c.packets.WriteTo(b, to) }

// dnsStream is a TCP connection to a name server, in which a length precedes each message (RFC 1035 section 4.2.2).
type dnsStream struct {
	net.Conn
	seen *minTTL
	in   []byte // the message that is being read
}

func (c *dnsStream) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.in = append(c.in, b[:n]...)
	for len(c.in) >= 2 {
		size := int(c.in[0])<<8 | int(c.in[1])
		if len(c.in) < 2+size {
			break
		}
		c.seen.read(c.in[2 : 2+size])
		c.in = c.in[2+size:]
	}
	return n, err
}
