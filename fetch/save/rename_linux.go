package save

import (
	"errors"
	"io/fs"
	"runtime"

	"golang.org/x/sys/unix"
)

// renameNew renames within f unless the new name is taken, in one step. Both names are plain, so that looking them up from the
// open directory cannot lead anywhere else.
func (f *Folder) renameNew(old, name string) error {
	fd := int(f.dir.Fd())
	err := unix.Renameat2(fd, old, fd, name, unix.RENAME_NOREPLACE)
	runtime.KeepAlive(f.dir)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS): // NFS; Linux before 3.15
		return f.linkNew(old, name)
	}
	return &fs.PathError{Op: "renameat2", Path: name, Err: err}
}
