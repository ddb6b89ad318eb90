// Package lock has locks that are held for long: of a file, and in memory, while the holder waits for a network or a disk. The system releases that of a
// file when the process ends, however it ends, so that a live writer can be distinguished from a dead one.
package lock

import (
	"errors"
	"os"

	"example.org/deref/fetch"
)

// ErrHeld is the cause of refusing a file that another process has locked.
var ErrHeld = errors.New("in use by another process")

// InUse returns the error about a file that another process has locked.
func InUse(name string) error { return fetch.Errorf(fetch.ErrLocal, "%s is %w", name, ErrHeld) }

// File locks f until Close. The error, of kind ErrLocal, is InUse if another open file has the lock, or else what prevents the lock. sure is false if
// this system or file system has no locks; that is not an error.
func File(f *os.File) (sure bool, err error) {
	switch sure, err = lock(f); err {
	case nil:
		return sure, nil
	case ErrHeld:
		return sure, InUse(f.Name())
	}
	return sure, fetch.Errorf(fetch.ErrLocal, "cannot lock %s: %w", f.Name(), err)
}

// Close ends the lock of f, and closes it. f.Close alone ends the lock later if this process is just starting another, which has a copy of f for
// a moment.
func Close(f *os.File) error {
	unlock(f)
	return f.Close()
}
