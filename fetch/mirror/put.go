package mirror

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// hashOf returns the SHA-256 of what write writes.
func hashOf(write func(io.Writer) error) (string, error) {
	h := sha256.New()
	out := bufio.NewWriterSize(h, 64<<10)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// put makes the local file hold what write writes, whose SHA-256 is sum, unless it does already.
func (s *store) put(at, sum string, write func(io.Writer) error) error {
	have, err := hashOf(func(w io.Writer) error {
		f, err := openRegular(s.docs, at)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
	if err == nil && have == sum {
		return nil
	}
	dir, name := path.Split(at)
	folder, done, err := s.openFolder(dir)
	if err != nil {
		return err
	}
	defer done()
	_, err = save.Document(context.Background(), fetch.NewDocument(io.NopCloser(nil)), &save.Options{Dir: folder, Name: name, Force: true,
		View: func(w io.Writer, _ *fetch.Document) error { return write(w) }})
	return err
}

// keepOriginal keeps a document as it came, unless that was done. The file gets a second name, and loses its first to what put makes.
func (s *store) keepOriginal(at string) error {
	to := originalOf(at)
	if fi, err := s.meta.Lstat(to); err == nil && fi.Mode().IsRegular() {
		return nil
	}
	err := s.meta.MkdirAll(path.Dir(to), 0o777)
	if err == nil {
		err = s.docs.Link(at, path.Join(metaName, to))
	}
	if err != nil {
		err = s.copyOriginal(at, to) // QUIRK: FAT, and Android's storage, have no links
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return nil
}

// copyOriginal copies, by a rename: half a copy is none.
func (s *store) copyOriginal(at, to string) error {
	in, err := openRegular(s.docs, at)
	if err != nil {
		return err
	}
	defer in.Close()
	const temp = originalName + "/new"
	out, err := s.meta.Create(temp)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return s.meta.Rename(temp, to)
}
