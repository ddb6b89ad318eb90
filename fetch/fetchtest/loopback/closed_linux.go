package loopback

import (
	"encoding/binary"
	"syscall"
)

// hungUp queries the kernel for the state of the connection, which shows a close even if unread data precedes it.
func hungUp(fd uintptr) bool {
	v, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)
	if err != nil {
		return false
	}
	// The four bytes are the start of struct tcp_info (linux/tcp.h); the first is the state (net/tcp_states.h).
	var info [4]byte
	binary.NativeEndian.PutUint32(info[:], uint32(v))
	switch info[0] {
	case 6, 7, 8, 9, 11: // TIME_WAIT, CLOSE, CLOSE_WAIT, LAST_ACK, CLOSING: the client's FIN or RST has arrived
		return true
	}
	return false
}
