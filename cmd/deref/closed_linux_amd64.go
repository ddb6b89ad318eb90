//go:build !go1.27

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// closedMask has the bit 1<<n if the standard descriptor n was closed when the program began.
func closedMask() uint32

// refuseClosed replaces standard input or output by a stream that fails, if it was closed when the program began. The runtime has opened the null
// device in its place, in which a document would vanish without an error.
func refuseClosed(stdin, stdout **os.File) {
	for i, s := range []struct {
		stream **os.File
		name   string
		flag   int // the opposite direction, so that it fails with EBADF as the closed descriptor would
	}{{stdin, "/dev/stdin", unix.O_WRONLY}, {stdout, "/dev/stdout", unix.O_RDONLY}} {
		if closedMask()&(1<<i) == 0 {
			continue
		}
		if fd, err := unix.Open(os.DevNull, s.flag|unix.O_CLOEXEC, 0); err == nil {
			*s.stream = os.NewFile(uintptr(fd), s.name)
		}
	}
}
