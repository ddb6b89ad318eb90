//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package batch

import (
	"os"
	"syscall"
)

// lock claims f for this process until it is closed, and reports whether nobody else has it.
func lock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err == nil || err == syscall.ENOTSUP || err == syscall.EOPNOTSUPP || err == syscall.ENOLCK
}
