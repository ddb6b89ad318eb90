package save

import (
	"io/fs"
	"os"

	"example.org/deref/fetch"
)

// keep gives f, which is about to replace the file name in dir, the owner, group, mode, access list and attributes of that file. lost lists
// the properties that could not be copied, which deserves a warning. err is a write error.
func keep(f *os.File, dir *Dir, name string, old fs.FileInfo) (lost, err error) {
	mode := old.Mode().Perm()
	owner, group := copyOwner(f, old)
	if !group {
		mode = mode&^0o070 | mode&(mode&0o007<<3) // another group gets only the permissions of others
	}
	if err := f.Chmod(mode); err != nil {
		return nil, err
	}
	if lost = copyAttributes(f, dir, name, old); owner != nil {
		lost = owner
	}
	if lost != nil {
		lost = fetch.Errorf(fetch.ErrLocal, "%s: %w", dir.join(name), lost)
	}
	return lost, nil
}
