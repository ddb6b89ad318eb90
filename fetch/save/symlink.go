package save

import (
	"os"

	"example.org/deref/fetch"
)

// Link makes name a symbolic link to target, replacing a file or link of that name, and reports whether it changed anything. An empty
// target only removes a link. Nothing is written through an existing link; a directory of that name is left alone and reported as an error.
func (f *Dir) Link(name, target string) (made bool, err error) {
	name = f.clean(name)
	fi, err := f.lookup(name)
	if err != nil {
		return false, err
	}
	isLink := fi != nil && fi.Mode()&os.ModeSymlink != 0
	switch {
	case target == "" && !isLink:
		return false, nil
	case target == "":
		return false, LocalError(f.root.Remove(name))
	case isLink:
		if old, err := f.root.Readlink(name); err == nil && old == target {
			return false, nil
		}
	case fi != nil && !fi.Mode().IsRegular():
		return false, fetch.Errorf(fetch.ErrLocal, "%s is not a file", f.join(name))
	}
	temp := tempName()
	if err := f.root.Symlink(target, temp); err != nil {
		return false, LocalError(err)
	}
	if err := f.root.Rename(temp, name); err != nil {
		f.root.Remove(temp)
		return false, LocalError(err)
	}
	return true, nil
}
