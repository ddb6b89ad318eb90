//go:build !unix

package request

import "io/fs"

// mayRun returns true: this system does not mark executable files.
func mayRun(fs.FileMode) bool { return true }
