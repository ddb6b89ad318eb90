package save

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Other files that a program writes for its user (a cookie jar, an index, a journal, a trace) are written with Rewrite or Open, so that
// they follow the same rules as documents: anything but a regular file is written to and never replaced, a link to a file is followed,
// and no file is created through a link.

// Rewrite replaces the contents of the user's file path. At any moment the file has either the old contents or the new, also after a power
// failure. A new file gets the mode perm, less the umask. A replaced one keeps its owner, mode, access list and attributes; lost names those
// that could not be kept. A device, a FIFO or an open descriptor (/dev/stdout) is written to directly.
func Rewrite(path string, perm fs.FileMode, write func(io.Writer) error) (lost, err error) {
	p, err := placeOf(path)
	if err != nil {
		return nil, err
	}
	if p.stream {
		f, err := openFile(p, os.O_WRONLY|os.O_APPEND, perm)
		if err != nil {
			return nil, err
		}
		return nil, writeAll(f, write, false)
	}
	f, err := openDir(filepath.Dir(p.path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.rewrite(filepath.Base(p.path), p.info, perm, true, write)
}

// rewrite is Rewrite for a name in f. sync makes the content durable before the file gets the name.
func (f *Dir) rewrite(name string, old fs.FileInfo, perm fs.FileMode, sync bool, write func(io.Writer) error) (lost, err error) {
	if old != nil {
		if old.IsDir() {
			return nil, LocalError(&fs.PathError{Op: "open", Path: f.join(name), Err: syscall.EISDIR})
		}
		perm = old.Mode().Perm()
	}
	file, temp, err := f.temp(perm)
	if err != nil {
		return nil, err
	}
	err = writeAll(file, func(w io.Writer) (err error) {
		if err = write(w); err == nil && old != nil {
			lost, err = keep(file, f, name, old)
		}
		return err
	}, sync)
	if err == nil {
		err = DiskError(f.root.Rename(temp, name))
	}
	if err != nil {
		f.root.Remove(temp)
	}
	return lost, named(err, func() string { return f.join(name) })
}

// writeAll writes and closes a file, and makes it durable if sync is set. Some errors are reported only by Close.
func writeAll(f *os.File, write func(io.Writer) error, sync bool) error {
	b := bufio.NewWriter(f)
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil && sync {
		err = Sync(f)
	}
	return DiskError(cmp.Or(err, f.Close()))
}

// Open opens the user's file path for writing in place. flag is that of os.OpenFile: with os.O_CREATE, a file that does not exist is
// created with the mode perm, less the umask. Anything but a regular file is opened as it is, without regard to os.O_TRUNC and os.O_CREATE.
func Open(path string, flag int, perm fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		p, err := placeOf(path)
		if err != nil {
			return nil, err
		}
		f, err := openFile(p, flag, perm)
		if try == tries || !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) || p.info != nil && p.stream {
			return f, err
		}
		if errors.Is(err, fs.ErrNotExist) && (p.info == nil || flag&os.O_CREATE == 0) {
			return nil, err // not because somebody has just removed it
		}
	}
}

func openFile(p place, flag int, perm fs.FileMode) (*os.File, error) {
	switch {
	case p.stream:
		if flag &^= os.O_CREATE | os.O_EXCL | os.O_TRUNC; flag&os.O_RDWR == 0 {
			flag |= os.O_APPEND // /dev/stdout may be a file that is appended to
		}
	case p.info != nil:
		flag &^= os.O_CREATE
	case flag&os.O_CREATE != 0 && p.link:
		return replaceLink(p.path, flag, perm)
	case flag&os.O_CREATE != 0:
		flag |= os.O_EXCL // also refuses a link created meanwhile
	}
	f, err := os.OpenFile(p.path, flag, perm)
	return f, LocalError(err)
}

// replaceLink creates a file in place of a dangling link. Whoever made the link must not choose where the user's file is created.
func replaceLink(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if _, err := Rewrite(path, perm, func(io.Writer) error { return nil }); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag&^os.O_CREATE, perm)
	return f, LocalError(err)
}

// Resolve returns the file that path refers to after following links to files. direct reports that it is a device, a FIFO or an open
// descriptor: it must be opened with Open, and nothing may be renamed to it.
func Resolve(path string) (file string, direct bool, err error) {
	p, err := placeOf(path)
	return p.path, p.stream, err
}

// CopyMetadata gives f, which is about to replace the file at path by a rename, the owner, group, mode, access list and attributes of that
// file. lost names those that could not be copied. It does nothing if there is no such file.
func CopyMetadata(f *os.File, path string) (lost, err error) {
	old, err := os.Lstat(path)
	if err != nil || !old.Mode().IsRegular() {
		return nil, nil
	}
	dir, err := openDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	lost, err = keep(f, dir, filepath.Base(path), old)
	return lost, DiskError(err)
}
