//go:build !plan9

package dialogue

import "syscall"

// The errors of a script's connections: those of sockets.
const (
	errRefused = syscall.ECONNREFUSED
	errReset   = syscall.ECONNRESET
	errPipe    = syscall.EPIPE
)
