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

	"example.org/deref/fetch/internal/lock"
)

// Other files that a program writes for its user (a cookie jar, an index, a journal, a trace) are written with Rewrite or Open, so that
// they follow the same rules as documents: anything but a regular file is written to and never replaced, a link to a file is followed,
// and no file is created through a link.

// Rewrite replaces the contents of the user's file path. At any moment the file has either the old contents or the new, also after a power
// failure. A new file gets the mode perm, less the umask. A replaced one keeps its owner, mode, access list and attributes; lost names those
// that could not be kept. A device, a FIFO or an open descriptor (/dev/stdout) is written to directly.
func Rewrite(path string, perm fs.FileMode, write func(io.Writer) error) (lost, err error) {
	r, err := Replace(path, perm)
	if err != nil {
		return nil, err
	}
	return r.End(write(r))
}

// A Replacement is the new contents of a file that Rewrite would replace, for a caller that writes them in the course of its work. It is buffered. The
// caller calls End.
type Replacement struct {
	*bufio.Writer
	file *os.File
	dir  *Dir // nil if file is written to directly
	own  bool // dir was opened for this file
	name string
	temp string
	old  fs.FileInfo
}

// Replace begins to replace the user's file path.
func Replace(path string, perm fs.FileMode) (*Replacement, error) {
	p, err := placeOf(path)
	if err != nil {
		return nil, err
	}
	if p.stream {
		f, err := openFile(p, os.O_WRONLY|os.O_APPEND, perm)
		return &Replacement{Writer: bufio.NewWriter(f), file: f}, err
	}
	f, err := openDir(filepath.Dir(p.path))
	if err != nil {
		return nil, err
	}
	r, err := f.replace(filepath.Base(p.path), p.info, perm)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.own = true
	return r, nil
}

// replace is Replace for a name in f.
func (f *Dir) replace(name string, old fs.FileInfo, perm fs.FileMode) (*Replacement, error) {
	if old != nil {
		if old.IsDir() {
			return nil, LocalError(&fs.PathError{Op: "open", Path: f.join(name), Err: syscall.EISDIR})
		}
		perm = old.Mode().Perm()
	}
	file, temp, err := f.temp(perm)
	return &Replacement{Writer: bufio.NewWriter(file), file: file, dir: f, name: name, temp: temp, old: old}, err
}

// Lock opens the new file once more and locks it, so that nobody else can lock it when it has the name. It returns nil if the file is written to
// directly.
func (r *Replacement) Lock() (*os.File, error) {
	if r.dir == nil {
		return nil, nil
	}
	f, err := r.dir.root.OpenFile(r.temp, os.O_RDWR, 0)
	if err == nil {
		_, err = lock.File(f)
	}
	return f, LocalError(err)
}

// End replaces the file if failed is nil. Otherwise the file keeps its contents, and End returns failed, as an error of writing if it has no kind.
func (r *Replacement) End(failed error) (lost, err error) {
	if err = failed; err == nil {
		err = r.Flush()
	}
	if err == nil && r.old != nil {
		lost, err = keep(r.file, r.dir, r.name, r.old)
	}
	if err == nil && r.own { // NAME.part.json is not worth the time
		err = Sync(r.file)
	}
	err = DiskError(cmp.Or(err, r.file.Close())) // some errors are reported only by Close
	if r.dir == nil {
		return nil, err
	}
	if err == nil {
		err = DiskError(r.dir.root.Rename(r.temp, r.name))
	}
	if err != nil {
		r.dir.root.Remove(r.temp)
	}
	if r.own {
		defer r.dir.Close()
	}
	return lost, named(err, func() string { return r.dir.join(r.name) })
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
