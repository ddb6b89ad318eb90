package file

import (
	"errors"
	"syscall"
)

// The errors of names that no file can have (winerror.h).
const (
	invalidName = syscall.Errno(123) // ERROR_INVALID_NAME
	badPathName = syscall.Errno(161) // ERROR_BAD_PATHNAME
	nameTooLong = syscall.Errno(206) // ERROR_FILENAME_EXCED_RANGE
	notADir     = syscall.Errno(267) // ERROR_DIRECTORY
)

// isBadName reports whether err means that no file can have this name.
func isBadName(err error) bool {
	for _, no := range []error{invalidName, badPathName, nameTooLong, notADir, syscall.ENOTDIR, syscall.ENAMETOOLONG} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
