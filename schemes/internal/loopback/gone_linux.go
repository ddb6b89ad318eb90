package loopback

import "golang.org/x/sys/unix"

// hungUp asks the kernel, which knows of a close whose data is still unread.
func hungUp(fd uintptr) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(p, 0)
	return err == nil && n > 0
}
