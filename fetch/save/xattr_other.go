//go:build !linux

package save

import (
	"io/fs"
	"os"
)

// copyAttributes does nothing: attributes are not copied on this system.
func copyAttributes(*os.File, *Dir, string, fs.FileInfo) error { return nil }
