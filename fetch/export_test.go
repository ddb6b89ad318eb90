package fetch

import (
	"context"
	"net"
	"net/netip"
)

// SetResolver replaces the system's resolver of c.
func SetResolver(c *Client, r *net.Resolver) { c.resolver = r }

// Addresses returns the addresses of host in the order in which c would try them.
func Addresses(ctx context.Context, c *Client, host string) ([]netip.Addr, error) {
	c.start()
	return c.addresses(ctx, host)
}

// Names returns of how many names c remembers something.
func Names(c *Client) int { return len(c.names.hosts) }

// DialName connects c to host by dial, which is given single addresses.
func DialName(ctx context.Context, c *Client, host string, dial func(ctx context.Context, target string) (net.Conn, error)) (net.Conn, error) {
	c.start()
	return c.dialName(ctx, host, "1", dial)
}

// Secrets gives the tests the filter of texts.
type Secrets struct{ s secrets }

func (s *Secrets) Add(secret string)          { s.s.add(secret) }
func (s *Secrets) Longest() int               { return len(s.s.list[0]) }
func (s *Secrets) MaskLine(p string) string   { return string(s.s.maskLine([]byte(p))) }
func (s *Secrets) HideField(name string)      { s.s.hideField(name) }
func (s *Secrets) Mask(text string) string    { return s.s.maskString(text) }
func (s *Secrets) Shown(p string) int         { return s.s.shown([]byte(p)) }
func (s *Secrets) Unfinished(p []byte) int    { return s.s.unfinished(p) }
func (s *Secrets) MaskOctets(p []byte) []byte { return s.s.mask(p) }

func (s *Secrets) MaskReply(p string) string { return string(s.s.maskReply([]byte(p))) }
