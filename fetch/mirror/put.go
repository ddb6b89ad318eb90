package mirror

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// hashOf returns the SHA-256 of the output of write.
func hashOf(write func(io.Writer) error) (string, error) {
	h := sha256.New()
	out := bufio.NewWriterSize(h, 64<<10)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// maxRendered bounds the output that is held in memory.
const maxRendered = 256 << 10

// rendered returns the SHA-256 of the output of write, and a function that writes the same output. It calls write again only if the output is large.
func rendered(write func(io.Writer) error) (sum string, again func(io.Writer) error, err error) {
	var kept bytes.Buffer
	size := 0
	sum, err = hashOf(func(w io.Writer) error {
		return write(writerFunc(func(p []byte) (int, error) {
			if size += len(p); size <= maxRendered {
				kept.Write(p)
			}
			return w.Write(p)
		}))
	})
	if size > maxRendered {
		return sum, write, err
	}
	return sum, func(w io.Writer) error {
		_, err := w.Write(kept.Bytes())
		return err
	}, err
}

// A writerFunc is a Write method.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// put writes the output of write into a local file, unless the file has that content already. sum is its SHA-256.
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
	to, done, err := s.openDir(dir)
	if err != nil {
		return err
	}
	defer done()
	_, err = save.Document(context.Background(), fetch.NewDocument(io.NopCloser(nil)), &save.Options{Dir: to, Name: name, Force: true,
		View: func(w io.Writer, _ *fetch.Document) error { return write(w) }})
	return err
}

// keepOriginal keeps a document as the server sent it, unless that was done before. The file gets a second name, and put replaces the
// first.
func (s *store) keepOriginal(at string) error {
	to := originalOf(at)
	if isRegular(s.docs.Lstat(to)) {
		return nil
	}
	s.originals.Store(true)
	err := s.docs.MkdirAll(path.Dir(to), 0o777)
	if err == nil && s.docs.Link(at, to) != nil {
		err = s.copyOriginal(at, to) // QUIRK: FAT and Android's storage have no hard links
	}
	return diskError(err)
}

// copyOriginal copies, with a rename at the end, so that there is never half a copy.
func (s *store) copyOriginal(at, to string) error {
	in, err := openRegular(s.docs, at)
	if err != nil {
		return err
	}
	defer in.Close()
	const temp = originalName + ".new" // in originalName it could be that of a document
	out, err := s.docs.Create(temp)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = cmp.Or(err, out.Close()); err == nil {
		err = s.docs.Rename(temp, to)
	}
	if err != nil {
		s.docs.Remove(temp)
	}
	return err
}
