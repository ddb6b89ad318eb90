//go:build !linux

package save

import (
	"errors"
	"io/fs"
	"os"
)

func setAttribute(*os.File, attribute) error { return errors.ErrUnsupported }

// keepAttributes: on this system attributes are not copied.
func keepAttributes(*os.File, *Folder, string, fs.FileInfo) error { return nil }
