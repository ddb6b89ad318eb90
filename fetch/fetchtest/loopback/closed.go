package loopback

import (
	"net"
	"syscall"
)

// gone reports whether the client has closed c, even if the server has not read all of its data. It returns false if the system cannot
// detect that without reading.
func gone(c net.Conn) (gone bool) {
	if m, ok := c.(interface{ HungUp() bool }); ok { // in memory
		return m.HungUp()
	}
	sc, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	// raw.Read would wait for the Read of the server's goroutine.
	err = raw.Control(func(fd uintptr) { gone = hungUp(fd) })
	return gone && err == nil
}
