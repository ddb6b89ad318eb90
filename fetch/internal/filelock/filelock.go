// Package filelock claims files for one process. The system releases a claim when the process ends, whatever ends it, so that a live
// writer can be told from a dead one.
package filelock

import "os"

// Lock claims f until it is closed and reports whether it did: false means that another open file has the claim. sure is false if this
// system or file system has no locks; held is true then.
func Lock(f *os.File) (held, sure bool) { return lock(f) }
