//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package save

import "os"

// lock does nothing: this system has no locks, so two processes may continue one part at the same time.
func lock(*os.File) bool { return true }

// syncDir does nothing: this system does not sync directories.
func syncDir(*os.File) error { return nil }
