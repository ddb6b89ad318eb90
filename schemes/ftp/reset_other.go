//go:build !windows && !plan9

package ftp

import (
	"errors"
	"syscall"
)

// isReset reports whether err means that the peer has reset the connection.
func isReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
