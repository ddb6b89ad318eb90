//go:build !windows

package file

import (
	"errors"
	"syscall"
)

// isNoName reports whether err means that there cannot be a file of this name.
func isNoName(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}
