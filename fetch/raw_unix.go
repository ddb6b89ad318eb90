//go:build unix

package fetch

import "syscall"

// pending reports whether the socket has ended or has octets waiting, without taking them.
func (r *rawConn) pending() bool {
	if q, ok := r.Conn.(interface{ Pending() bool }); ok { // a connection of a Client's own Dialer
		return q.Pending()
	}
	sc, ok := r.Conn.(syscall.Conn)
	if !ok {
		return r.ended.Load()
	}
	if r.peek.raw == nil {
		raw, err := sc.SyscallConn()
		if err != nil {
			return true
		}
		r.peek.raw, r.peek.look = raw, r.peek.once
	}
	r.peek.quiet = false
	err := r.peek.raw.Control(r.peek.look)
	return err != nil || !r.peek.quiet
}

// peek looks at the socket; it is kept, since a kept connection is looked at before each small document.
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
