//go:build !go1.27

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// closedMask has the bit 1<<n if the standard descriptor n was closed when the program began.
func closedMask() uint32

// refuseClosed puts, in place of standard input or output that was closed when the program began, a stream that fails. The runtime has
// opened the null device there, into which a document would vanish and be called written.
func refuseClosed(stdin, stdout **os.File) {
	for i, s := range []struct {
		stream **os.File
		name   string
		flag   int // the other direction than is wanted, so that it fails as the closed descriptor would: EBADF
	}{{stdin, "/dev/stdin", unix.O_WRONLY}, {stdout, "/dev/stdout", unix.O_RDONLY}} {
		if closedMask()&(1<<i) == 0 {
			continue
		}
		if fd, err := unix.Open(os.DevNull, s.flag|unix.O_CLOEXEC, 0); err == nil {
			*s.stream = os.NewFile(uintptr(fd), s.name)
		}
	}
}
