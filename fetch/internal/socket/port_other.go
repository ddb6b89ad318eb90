//go:build !windows && !plan9

package socket

import (
	"errors"
	"syscall"
)

// IsPortTaken reports whether a socket could not be bound because another one has its local port.
func IsPortTaken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EADDRNOTAVAIL)
}

// IsPortForbidden reports whether this user may not bind the local port.
func IsPortForbidden(err error) bool { return errors.Is(err, syscall.EACCES) }
