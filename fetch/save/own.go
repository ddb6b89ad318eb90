package save

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// What else a program writes for its user (a cookie jar, an index, a journal, a trace) goes through Rewrite or Open, so that the rules are
// those for documents: what is not a regular file is written to and never replaced, a link to a file is followed, and no file is made
// through a link.

// Rewrite writes the user's file path anew: it has the old contents or the new, whenever one looks. A new file gets the mode perm, as far
// as the user's mask allows it; one that is replaced keeps its owner, mode, access list and attributes, and lost says which of them it
// could not. A device, a FIFO or an open descriptor (/dev/stdout) is written to as it is.
// The Writer has a method Sync() error, for what must outlive a power cut.
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
		return nil, writeAll(f, write)
	}
	f, err := openFolder(filepath.Dir(p.path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.rewrite(filepath.Base(p.path), p.info, perm, write)
}

func (f *Folder) rewrite(name string, old fs.FileInfo, perm fs.FileMode, write func(io.Writer) error) (lost, err error) {
	if old != nil {
		if old.IsDir() {
			return nil, localError(&fs.PathError{Op: "open", Path: f.join(name), Err: syscall.EISDIR})
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
	})
	if err == nil {
		err = diskError(f.root.Rename(temp, name))
	}
	if err != nil {
		f.root.Remove(temp)
	}
	return lost, named(err, f.join(name))
}

// writeAll writes and closes a file, which tells of some errors only then.
func writeAll(f *os.File, write func(io.Writer) error) error {
	b := draft{bufio.NewWriter(f), f}
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return diskError(err)
}

// A draft is what Rewrite's caller writes to.
type draft struct {
	*bufio.Writer
	file *os.File
}

// Sync makes durable what was written. QUIRK: what has no such call (pipes, FUSE) answers EINVAL or ENOTSUP (fsync(2)).
func (d draft) Sync() error {
	err := d.Flush()
	if err == nil {
		err = d.file.Sync()
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Open opens the user's file path for writing in place. flag is that of os.OpenFile: with os.O_CREATE, a file that does not exist is made
// with the mode perm, as far as the user's mask allows it. What is not a regular file is opened as it is: flag's os.O_TRUNC and
// os.O_CREATE do not matter then.
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
			return nil, err // and not because somebody has removed it just now
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
		flag |= os.O_EXCL // also refuses a link that has appeared meanwhile
	}
	f, err := os.OpenFile(p.path, flag, perm)
	return f, localError(err)
}

// replaceLink makes a file in place of a link whose target does not exist: nobody is to choose where a file of the user's is made.
func replaceLink(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if _, err := Rewrite(path, perm, func(io.Writer) error { return nil }); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag&^os.O_CREATE, perm)
	return f, localError(err)
}

// Find returns the file that path names, with links to a file followed. direct reports that it is a device, a FIFO or an open descriptor:
// it must be opened with Open, and nothing may be renamed to it.
func Find(path string) (file string, direct bool, err error) {
	p, err := placeOf(path)
	return p.path, p.stream, err
}

// Keep gives f, which is about to replace the file at path by a rename, the owner, group, mode, access list and attributes of that. lost
// says which of them it could not. It does nothing if there is no such file.
func Keep(f *os.File, path string) (lost, err error) {
	old, err := os.Lstat(path)
	if err != nil || !old.Mode().IsRegular() {
		return nil, nil
	}
	dir, err := openFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	lost, err = keep(f, dir, filepath.Base(path), old)
	return lost, diskError(err)
}
