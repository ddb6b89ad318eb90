//go:build !linux

package save

import (
	"errors"
	"io/fs"
	"os"
)

func setAttribute(*os.File, attribute) error { return errors.ErrUnsupported }

// copyAttributes does nothing: attributes are not copied on this system.
func copyAttributes(*os.File, *Dir, string, fs.FileInfo) error { return nil }
