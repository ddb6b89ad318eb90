package save

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock claims f for this process until it is closed, and reports whether nobody else has it. It locks one byte that is far after any
// content, since a locked byte can be neither read nor written by others.
func lock(f *os.File) bool {
	at := windows.Overlapped{Offset: 1<<32 - 2, OffsetHigh: 1<<31 - 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	return err != windows.ERROR_LOCK_VIOLATION && err != windows.ERROR_IO_PENDING
}

// syncDir does nothing: Windows does not sync directories, and renames are durable there by themselves.
func syncDir(*os.File) error { return nil }
