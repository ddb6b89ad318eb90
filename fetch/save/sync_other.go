//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package save

import "os"

// syncDir does nothing: this system cannot sync directories. On Windows renames are durable by themselves.
func syncDir(*os.File) error { return nil }
