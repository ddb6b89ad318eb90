//go:build unix

package request

import "io/fs"

// mayRun reports whether a file of this mode is executable for anyone.
func mayRun(m fs.FileMode) bool { return m&0o111 != 0 }
