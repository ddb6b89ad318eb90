//go:build !windows && !plan9

package fetch

import (
	"errors"
	"syscall"
)

// portTaken reports whether a socket could not be bound because another one has its local port.
func portTaken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EADDRNOTAVAIL)
}

// portForbidden reports whether this user may not bind the local port.
func portForbidden(err error) bool { return errors.Is(err, syscall.EACCES) }
