//go:build !plan9

package fetchtest

import "syscall"

// The errors of a Relay's connections: those of sockets.
const (
	errRefused = syscall.ECONNREFUSED
	errReset   = syscall.ECONNRESET
)
