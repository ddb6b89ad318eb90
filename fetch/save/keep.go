package save

import (
	"io/fs"
	"os"

	"example.org/deref/fetch"
)

// keep gives f, which is about to replace the file name in dir, the owner, group, mode, access list and attributes of that file. lost
// names what could not be kept, which is a reason for a warning; err is an error of writing.
func keep(f *os.File, dir *Folder, name string, old fs.FileInfo) (lost, err error) {
	mode := old.Mode().Perm()
	owner, group := keepOwner(f, old)
	if !group {
		mode = mode&^0o070 | mode&(mode&0o007<<3) // another group gets no more than everybody has
	}
	if err := f.Chmod(mode); err != nil {
		return nil, err
	}
	if lost = keepAttributes(f, dir, name, old); owner != nil {
		lost = owner
	}
	if lost != nil {
		lost = fetch.Errorf(fetch.ErrLocal, "%s: %w", dir.join(name), lost)
	}
	return lost, nil
}
