package mirror

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// isDirect reports whether no directory on the way to a path is a link: somebody may have put one there, and its target is outside the
// mirror.
func (s *store) isDirect(at string) bool {
	for dir := path.Dir(at); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if fi, err := s.docs.Lstat(dir); err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}

// intact reports whether the local copy exists with the recorded size.
func (s *store) intact(r *Record) bool {
	fi, err := s.docs.Lstat(r.Path)
	if err != nil || !fi.Mode().IsRegular() || !s.isDirect(r.Path) {
		return false
	}
	if r.Local == "" {
		return fi.Size() == r.Size
	}
	fi, err = s.docs.Lstat(originalOf(r.Path))
	return err == nil && fi.Mode().IsRegular() && fi.Size() == r.Size
}

// lookup is docs.Lstat by way of the open directories, which saves three system calls.
func (s *store) lookup(at string) (fs.FileInfo, error) {
	dir, name := path.Split(at)
	to, done := s.openedDir(dir)
	if to == nil {
		return s.docs.Lstat(at)
	}
	defer done()
	return to.Lstat(name)
}

// partSuffix ends the name of the beginning of a document, which an interruption has left.
const partSuffix = ".part"

// isRegular reports whether Lstat or Stat has found a regular file.
func isRegular(fi fs.FileInfo, err error) bool { return err == nil && fi.Mode().IsRegular() }

// diskError sets the kind of an error of a local file. Others have one, or are that of the context.
func diskError(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return save.DiskError(err)
}

// originalOf returns the path of the original document.
func originalOf(at string) string { return path.Join(originalName, at) }

// forgetOriginal removes the original of a document that was fetched again.
func (s *store) forgetOriginal(at string) error {
	if !s.originals.Load() {
		return nil
	}
	if err := s.docs.Remove(originalOf(at)); !isMissing(err) {
		return diskError(err)
	}
	return nil
}

// openOriginal opens a document as the server sent it.
func (s *store) openOriginal(at string) (*os.File, error) {
	if !s.originals.Load() {
		return openRegular(s.docs, at)
	}
	f, err := openRegular(s.docs, originalOf(at))
	if isMissing(err) {
		f, err = openRegular(s.docs, at)
	}
	return f, err
}

// openRegular opens a regular file, never a link or a device.
func openRegular(r *os.Root, at string) (*os.File, error) {
	fi, err := r.Lstat(at)
	if err == nil && !fi.Mode().IsRegular() {
		err = fetch.Errorf(fetch.ErrLocal, "%s is not a file", filepath.Join(r.Name(), at))
	}
	if err != nil {
		return nil, err
	}
	return r.Open(at)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
