package fetch

import (
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// resolving returns the Client's resolver, which listens for the TTLs in the answers of name servers. Package net returns none. It calls
// Resolver.Dial only where it sends the queries itself; where the system's library does, no TTL is known.
func (c *Client) resolving() *net.Resolver {
	r := &net.Resolver{Dial: listening(new(net.Dialer).DialContext)}
	if old := c.resolver; old != nil {
		r.PreferGo, r.StrictErrors = old.PreferGo, old.StrictErrors
		if old.Dial != nil {
			r.Dial = listening(old.Dial)
		}
	}
	return r
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// listening wraps the connections to name servers. Package net tells datagrams from streams by the methods of a net.PacketConn.
func listening(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := dial(ctx, network, address)
		heard, ok := ctx.Value(ttlKey{}).(*heardTTL)
		if err != nil || !ok {
			return nc, err
		}
		if pc, ok := nc.(net.PacketConn); ok {
			return &dnsPackets{nc, pc, heard}, nil
		}
		return &dnsStream{Conn: nc, heard: heard}, nil
	}
}

// ttlKey is the context key of a heardTTL.
type ttlKey struct{}

// A heardTTL is the smallest TTL in the answers to one lookup.
type heardTTL struct {
	mu    sync.Mutex
	least time.Duration // negative if none was heard
}

// ttl is how long the addresses are remembered.
func (h *heardTTL) ttl() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.least < 0 {
		return unknownTTL
	}
	return min(h.least, longestTTL)
}

// hear looks for TTLs in a DNS message. What is not one is passed over: the resolver judges it.
func (h *heardTTL) hear(message []byte) {
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
	heard   *heardTTL
}

func (c *dnsPackets) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.heard.hear(b[:n])
	return n, err
}

func (c *dnsPackets) ReadFrom(b []byte) (int, net.Addr, error)   { return c.packets.ReadFrom(b) }
func (c *dnsPackets) WriteTo(b []byte, to net.Addr) (int, error) { return c.packets.WriteTo(b, to) }

// dnsStream is a TCP connection to a name server, where each message has its length before it (RFC 1035 section 4.2.2).
type dnsStream struct {
	net.Conn
	heard *heardTTL
	in    []byte // of the message that is being read
}

func (c *dnsStream) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.in = append(c.in, b[:n]...)
	for len(c.in) >= 2 {
		size := int(c.in[0])<<8 | int(c.in[1])
		if len(c.in) < 2+size {
			break
		}
		c.heard.hear(c.in[2 : 2+size])
		c.in = c.in[2+size:]
	}
	return n, err
}
