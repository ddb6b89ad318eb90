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
	raw, err := sc.SyscallConn()
	if err != nil {
		return true
	}
	quiet := false
	var one [1]byte
	err = raw.Control(func(fd uintptr) {
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
	})
	return err != nil || !quiet
}
