//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lab

import (
	"os"
	"syscall"
)

// exclusive waits until no other process holds f, and holds it until f is closed.
func exclusive(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
