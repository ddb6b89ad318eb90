//go:build !linux

package terminal

import "os"

// Reopen returns standard output such that waiting for its reader can end with the request: not on this system.
func Reopen(f *os.File) *os.File { return f }
