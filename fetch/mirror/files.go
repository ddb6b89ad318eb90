package mirror

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// openFolder opens a folder of the mirror for writing, after making it where it is missing: one step after the other, none of them
// through a link.
func (s *store) openFolder(at string) (*save.Dir, func(), error) {
	f, done := s.folder, func() {}
	for name := range strings.SplitSeq(strings.Trim(at, "/"), "/") {
		if name == "" {
			continue
		}
		sub, err := f.Sub(name)
		done()
		if err != nil {
			return nil, nil, err
		}
		f, done = sub, func() { sub.Close() }
	}
	return f, done, nil
}

// isDirect reports whether no folder on the way to a path is a link: somebody may have put one there, and what it leads to is not ours.
func (s *store) isDirect(at string) bool {
	for dir := path.Dir(at); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if fi, err := s.docs.Lstat(dir); err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}

// intact reports whether the local copy is there, by its size.
func (s *store) intact(r *Record) bool {
	fi, err := s.docs.Lstat(r.Path)
	if err != nil || !fi.Mode().IsRegular() || !s.isDirect(r.Path) {
		return false
	}
	if r.Local == "" {
		return fi.Size() == r.Size
	}
	fi, err = s.meta.Lstat(originalOf(r.Path))
	return err == nil && fi.Mode().IsRegular() && fi.Size() == r.Size
}

// hasPart reports whether an interruption has left the beginning of a document.
func (s *store) hasPart(at string) bool {
	fi, err := s.docs.Lstat(at + ".part")
	return err == nil && fi.Mode().IsRegular()
}

// originalOf is where a document is as it came, below .deref.
func originalOf(at string) string { return path.Join(originalName, at) }

// forgetOriginal removes the original of a document that has come anew.
func (s *store) forgetOriginal(at string) error {
	if err := s.meta.Remove(originalOf(at)); err != nil && !isMissing(err) {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return nil
}

// openOriginal opens a document as it came.
func (s *store) openOriginal(at string) (*os.File, error) {
	f, err := openRegular(s.meta, originalOf(at))
	if isMissing(err) {
		f, err = openRegular(s.docs, at)
	}
	return f, err
}

// openRegular opens a file, but no link and no device.
func openRegular(r *os.Root, at string) (*os.File, error) {
	fi, err := r.Lstat(at)
	if err == nil && !fi.Mode().IsRegular() {
		err = fetch.Errorf(fetch.ErrLocal, "%s is no file", filepath.Join(r.Name(), at))
	}
	if err != nil {
		return nil, err
	}
	return r.Open(at)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
