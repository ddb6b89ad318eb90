package fetchtest

import "syscall"

// The errors of a Relay's connections, with the texts that other systems have for them.
var (
	errRefused = syscall.NewError("connection refused")
	errReset   = syscall.NewError("connection reset by peer")
)
