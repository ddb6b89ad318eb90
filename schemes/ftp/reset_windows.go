package ftp

import (
	"errors"
	"syscall"
)

// isReset reports whether err means that the peer has reset the connection. Windows has its own number for that (winsock2.h). A Client's
// own Dialer may return the portable one.
func isReset(err error) bool {
	return errors.Is(err, syscall.WSAECONNRESET) || errors.Is(err, syscall.ECONNRESET)
}
