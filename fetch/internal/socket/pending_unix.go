//go:build unix

package socket

import "syscall"

// Pending reports whether the socket has ended or has bytes waiting, without reading them.
func (c *Conn) Pending() bool {
	if q, ok := c.Conn.(interface{ Pending() bool }); ok { // a connection that is not the system's
		return q.Pending()
	}
	sc, ok := c.Conn.(syscall.Conn)
	if !ok {
		return c.ended.Load()
	}
	if c.peek.raw == nil {
		raw, err := sc.SyscallConn()
		if err != nil {
			return true
		}
		c.peek.raw, c.peek.look = raw, c.peek.once
	}
	c.peek.quiet = false
	err := c.peek.raw.Control(c.peek.look)
	return err != nil || !c.peek.quiet
}

// peek looks at the socket. It is part of the Conn, since an idle connection is looked at before each small document.
type peek struct {
	raw   syscall.RawConn
	look  func(fd uintptr)
	one   [1]byte
	quiet bool
}

func (p *peek) once(fd uintptr) {
	_, _, err := syscall.Recvfrom(int(fd), p.one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	p.quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
}
