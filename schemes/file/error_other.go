//go:build !windows

package file

import (
	"errors"
	"syscall"
)

// isBadName reports whether err means that no file can have this name.
func isBadName(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}
