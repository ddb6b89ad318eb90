package save

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A place is what a path that the user gave names.
type place struct {
	path   string      // of the file; symbolic links that end at a file are followed
	info   fs.FileInfo // of the file; nil if there is none, or only a link whose target does not exist
	link   bool        // path is such a link
	stream bool        // written directly: a device, a FIFO or an open descriptor, never replaced
}

// mostLinks bounds a chain of symbolic links. Linux has 40, too.
const mostLinks = 40

// placeOf finds what path names. Only a regular file is ever replaced, so that a link to one stays a link. A link whose target does
// not exist is a name that is free.
func placeOf(path string) (place, error) {
	fi, err := os.Lstat(path)
	switch {
	case isSystem(path):
		return place{path: path, info: fi, stream: true}, nil
	case err != nil:
		return place{path: path}, nil // opening the directory explains what else is wrong
	}
	at := path
	for hops := 0; fi.Mode()&fs.ModeSymlink != 0; hops++ {
		if hops == mostLinks {
			return place{}, localError(&fs.PathError{Op: "open", Path: path, Err: errLoop})
		}
		if at, err = pointee(at); err != nil {
			return place{}, localError(err)
		}
		if isSystem(at) { // such as /dev/stdout: the file it is redirected to must not be replaced
			return place{path: path, stream: true}, nil
		}
		if fi, err = os.Lstat(at); err != nil {
			return place{path: path, link: true}, nil
		}
	}
	p := place{path: at, info: fi, stream: fi.Mode()&fs.ModeType&^fs.ModeDir != 0}
	if at == path || !fi.Mode().IsRegular() {
		return p, nil
	}
	// The system may refuse links that others put into a shared directory (protected_symlinks), which only opening tells.
	f, err := os.OpenFile(path, os.O_WRONLY|openNow, 0)
	if err != nil {
		return place{}, localError(err)
	}
	f.Close()
	return p, nil
}

// pointee returns where one symbolic link points. "..", in a relative one, is the parent of the directory that really holds the link.
func pointee(link string) (string, error) {
	to, err := os.Readlink(link)
	if err != nil || filepath.IsAbs(to) {
		return to, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(link))
	return filepath.Join(dir, to), err
}

// isSystem reports whether path names an open descriptor or a device, whatever Stat says of it: /dev/stdout links to the file that
// standard output is redirected to.
func isSystem(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/proc/")
}
