package save

import (
	"errors"
	"io/fs"
	"runtime"

	"golang.org/x/sys/unix"
)

// renameNew renames within f in one step, unless the new name is taken. Both names are plain, so looking them up from the open directory
// stays within it.
func (f *Dir) renameNew(old, name string) error {
	fd := int(f.handle.Fd())
	err := unix.Renameat2(fd, old, fd, name, unix.RENAME_NOREPLACE)
	runtime.KeepAlive(f.handle)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS): // NFS; Linux before 3.15
		return f.linkNew(old, name)
	}
	return &fs.PathError{Op: "renameat2", Path: name, Err: err}
}
