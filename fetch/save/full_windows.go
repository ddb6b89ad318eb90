package save

import (
	"errors"
	"syscall"
)

// The errors for a full disk (winerror.h). Windows never returns the ENOSPC of package syscall.
const (
	handleDiskFull = syscall.Errno(39)   // ERROR_HANDLE_DISK_FULL
	diskFull       = syscall.Errno(112)  // ERROR_DISK_FULL
	overQuota      = syscall.Errno(1295) // ERROR_DISK_QUOTA_EXCEEDED
)

// isFull reports whether err means that the disk or the user's quota is full.
func isFull(err error) bool {
	return errors.Is(err, diskFull) || errors.Is(err, handleDiskFull) || errors.Is(err, overQuota)
}
