//go:build !plan9

package dialogue

import "syscall"

// The errors of a script's connections: those of sockets.
const (
	connRefused = syscall.ECONNREFUSED
	connReset   = syscall.ECONNRESET
	brokenPipe  = syscall.EPIPE
)
