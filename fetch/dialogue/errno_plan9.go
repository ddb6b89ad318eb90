package dialogue

import "syscall"

// The errors of a script's connections, with the texts that other systems have for them.
var (
	connRefused = syscall.NewError("connection refused")
	connReset   = syscall.NewError("connection reset by peer")
	brokenPipe  = syscall.NewError("broken pipe")
)
