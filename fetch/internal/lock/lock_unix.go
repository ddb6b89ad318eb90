//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lock

import (
	"errors"
	"os"
	"syscall"
)

func lock(f *os.File) (sure bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == syscall.EWOULDBLOCK:
		return true, ErrHeld
	case err == syscall.ENOLCK || errors.Is(err, errors.ErrUnsupported):
		return false, nil
	}
	return true, err
}

func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
