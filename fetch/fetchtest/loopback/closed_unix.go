//go:build unix && !linux

package loopback

import "syscall"

// hungUp detects a close only after all data before it has been read.
func hungUp(fd uintptr) bool {
	n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
	return n == 0 && err != syscall.EAGAIN && err != syscall.EINTR
}
