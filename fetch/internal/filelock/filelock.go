// Package filelock locks files for one process. The system releases a lock when the process ends, however it ends, so that a live writer
// can be distinguished from a dead one.
package filelock

import "os"

// Lock locks f until Close, and reports whether it did: false means that another open file has the lock. sure is false if this system or file system
// has no locks; held is then true.
func Lock(f *os.File) (held, sure bool) { return lock(f) }

// Close ends the lock of f, and closes it. f.Close alone ends the lock later if this process is just starting another, which has a copy of f for
// a moment.
func Close(f *os.File) error {
	unlock(f)
	return f.Close()
}
