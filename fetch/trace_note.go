package fetch

import (
	"fmt"
	"net"
	"net/netip"
)

// note puts a remark of the Client into the trace.
func (e *Env) note(conn int, m Mark, format string, args ...any) {
	e.trail(Event{Conn: conn, Mark: m}, format, args...)
}

// trail puts a remark of the Client into the trace, with the fields of x.
func (e *Env) trail(x Event, format string, args ...any) {
	if e.trace == nil {
		return
	}
	text := oneLine(fmt.Sprintf(format, args...))
	switch x.Mark {
	case MarkRandom: // a replay uses these bytes again, and they contain no secret
	case MarkOpen, MarkListen, MarkTLS: // addresses and versions, which a replay parses
		text = e.secrets.MaskDistinctive(text)
	default:
		text = e.secrets.MaskText(text)
	}
	x.Time, x.Dir, x.Note = now(), InWords, text
	e.trace(x)
}

// number returns the number of a new connection.
func (c *Client) number() int { return int(c.numbers.Add(1)) }

// serverAt returns the address of the server to which c is connected. It returns the zero Addr if only a proxy knows it, or if c is a
// connection to a proxy that fetches documents itself, perhaps from several servers.
func (e *Env) serverAt(c *Conn, o *DialOptions) netip.Addr {
	a, ok := c.addr.(*net.TCPAddr)
	if !ok || o.For != "" || e.client.Policy.UnixSocket != "" {
		return netip.Addr{}
	}
	ip, ok := netip.AddrFromSlice(a.IP) // without the zone, which is of this machine
	if !ok || ip.IsUnspecified() {
		return netip.Addr{}
	}
	return ip.Unmap()
}
