package dialogue

import "syscall"

// The errors of a script's connections, with the texts that other systems have for them.
var (
	errRefused = syscall.NewError("connection refused")
	errReset   = syscall.NewError("connection reset by peer")
	errPipe    = syscall.NewError("broken pipe")
)
