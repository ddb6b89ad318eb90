//go:build !plan9

package loopback

import "syscall"

// The errors of connections in memory: those of sockets.
const (
	ErrRefused = syscall.ECONNREFUSED
	ErrReset   = syscall.ECONNRESET
	ErrPipe    = syscall.EPIPE
)
