// Package filelock locks files for one process. The system releases a lock when the process ends, however it ends, so that a live writer
// can be distinguished from a dead one.
package filelock

import "os"

// Lock locks f until it is closed and reports whether it did: false means that another open file has the lock. sure is false if this system
// or file system has no locks; held is then true.
func Lock(f *os.File) (held, sure bool) { return lock(f) }

// Unlock ends the lock of f. Closing f alone does so later if this process is just starting another, which has a copy of f for a moment.
func Unlock(f *os.File) { unlock(f) }
