package ftp

import (
	"errors"
	"syscall"
)

// isReset reports whether err means that the peer has reset the connection. Windows has its own number for it (winsock2.h).
func isReset(err error) bool { return errors.Is(err, syscall.WSAECONNRESET) }
