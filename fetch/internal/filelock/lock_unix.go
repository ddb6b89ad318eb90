//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"syscall"
)

func lock(f *os.File) (held, sure bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return true, true, nil
	case err == syscall.EWOULDBLOCK:
		return false, true, nil
	case err == syscall.ENOLCK || errors.Is(err, errors.ErrUnsupported):
		return true, false, nil
	}
	return false, true, err
}

func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
