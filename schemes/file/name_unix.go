//go:build unix

package file

import "syscall"

// noWait makes opening a FIFO return at once.
const noWait = syscall.O_NONBLOCK

// native returns the path of a file URI as the system writes it. On Unix they are the same.
func native(path string) (string, error) { return path, nil }
