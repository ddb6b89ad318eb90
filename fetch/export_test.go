package fetch

import (
	"context"
	"net"
	"net/netip"
)

// SetResolver replaces the system's resolver of c.
func SetResolver(c *Client, r *net.Resolver) { c.names.Resolver = r }

// Addresses returns the addresses of host in the order in which c would try them.
func Addresses(ctx context.Context, c *Client, host string) ([]netip.Addr, error) {
	c.start()
	return c.names.Addresses(ctx, host)
}

// Names returns the number of names that c has cached.
func Names(c *Client) int { return c.names.Len() }

// DialName connects c to host. It calls dial for single addresses.
func DialName(ctx context.Context, c *Client, host string,
	dial func(ctx context.Context, target string) (net.Conn, error)) (net.Conn, error) {
	c.start()
	nc, err := c.names.Dial(ctx, host, "1", dial)
	if err != nil {
		c.names.Failed(host)
	}
	return nc, err
}
