//go:build !unix

package request

import "io/fs"

// mayRun reports true: this system does not mark programs.
func mayRun(fs.FileMode) bool { return true }
