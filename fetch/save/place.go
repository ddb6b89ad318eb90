package save

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A place is the target of a user's path.
type place struct {
	path   string      // of the file, after following links to files
	info   fs.FileInfo // of the file; nil if there is none, or only a dangling link
	link   bool        // path is a dangling link
	stream bool        // a device, a FIFO or an open descriptor: written directly, never replaced
}

// mostLinks bounds a chain of symbolic links. Linux also allows 40.
const mostLinks = 40

// placeOf finds the target of path. Only a regular file is ever replaced, so that a link to a file remains a link. A dangling link counts
// as a free name.
func placeOf(path string) (place, error) {
	fi, err := os.Lstat(path)
	switch {
	case isDevicePath(path):
		return place{path: path, info: fi, stream: true}, nil
	case err != nil:
		return place{path: path}, nil // opening the directory reports any other error
	}
	at := path
	for hops := 0; fi.Mode()&fs.ModeSymlink != 0; hops++ {
		if hops == mostLinks {
			return place{}, LocalError(&fs.PathError{Op: "open", Path: path, Err: errLoop})
		}
		if at, err = readLink(at); err != nil {
			return place{}, LocalError(err)
		}
		if isDevicePath(at) { // such as /dev/stdout: the file it is redirected to must not be replaced
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
	// The system may refuse links that others put into a shared directory (protected_symlinks). Only opening shows that.
	f, err := os.OpenFile(path, os.O_WRONLY|openNow, 0)
	if err != nil {
		return place{}, LocalError(err)
	}
	f.Close()
	return p, nil
}

// readLink returns the target of one symbolic link. ".." in a relative target is the parent of the real directory of the link.
func readLink(link string) (string, error) {
	to, err := os.Readlink(link)
	if err != nil || filepath.IsAbs(to) {
		return to, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(link))
	return filepath.Join(dir, to), err
}

// isDevicePath reports whether path names an open descriptor or a device, even if Stat reports a regular file: /dev/stdout links to the
// file that standard output is redirected to.
func isDevicePath(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/proc/")
}
