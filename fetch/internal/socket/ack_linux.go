package socket

import "syscall"

// AckAtOnce acknowledges what arrives next without the delay of 40 ms that TCP uses while both sides take turns (TCP_QUICKACK in tcp(7)). The
// system forgets it when the next bytes are sent.
func (c *Conn) AckAtOnce() {
	if sc, ok := c.Conn.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			raw.Control(func(fd uintptr) { syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1) })
		}
	}
}
