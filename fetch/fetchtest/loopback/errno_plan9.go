package loopback

import "syscall"

// The errors of connections in memory, with the texts that other systems have for them.
var (
	ErrRefused = syscall.NewError("connection refused")
	ErrReset   = syscall.NewError("connection reset by peer")
	ErrPipe    = syscall.NewError("broken pipe")
)
