package socket

import (
	"errors"
	"syscall"
)

// The error numbers of Winsock (winsock2.h). The constants EADDRINUSE and so on of package syscall are inventions there.
const (
	wsaAddrInUse   = syscall.Errno(10048) // WSAEADDRINUSE
	wsaAddrInvalid = syscall.Errno(10049) // WSAEADDRNOTAVAIL
)

// IsPortTaken reports whether a socket could not be bound because another one has its local port. Windows returns WSAEACCES if that one
// is exclusive; it reserves no ports for administrators.
func IsPortTaken(err error) bool {
	return errors.Is(err, wsaAddrInUse) || errors.Is(err, wsaAddrInvalid) || errors.Is(err, syscall.WSAEACCES)
}

// IsPortForbidden reports whether this user may not bind the local port.
func IsPortForbidden(error) bool { return false }
