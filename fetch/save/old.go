package save

import (
	"bytes"
	"io"
	"os"

	"example.org/deref/fetch"
)

// oldFile is a file that may be continued.
type oldFile struct {
	file  *os.File
	size  int64
	valid fetch.Validator // zero if unknown
	copy  bool            // file is NAME, which is never written to
	state                 // zero if unknown
}

func (f *oldFile) close() {
	if f.copy {
		f.file.Close()
	}
}

// findOld looks for NAME.part, then for NAME. It returns nil if there is nothing to continue.
func (j *job) findOld() (*oldFile, error) {
	t := &j.target
	s, st, err := j.openPart()
	if err != nil {
		return nil, err
	}
	if s != nil {
		j.part = s
		if s.size > 0 {
			f := &oldFile{file: s.file, size: s.size}
			if st.URI == j.subject() {
				f.valid, f.state = st.validator(), st
			}
			return j.limitTo(f)
		}
	}
	file, err := j.openRegular(t.name, os.O_RDONLY)
	if file == nil {
		return nil, err
	}
	fi, err := file.Stat()
	if err == nil {
		t.old, j.continues = fi, true
	}
	if err != nil || fi.Size() == 0 {
		file.Close()
		return nil, LocalError(err)
	}
	return j.limitTo(&oldFile{file: file, size: fi.Size(), copy: true})
}

// limitTo shortens f to Options.From bytes.
func (j *job) limitTo(f *oldFile) (*oldFile, error) {
	n := j.options.From
	if n == 0 {
		return f, nil
	}
	if n > f.size {
		f.close()
		return nil, fetch.Errorf(fetch.ErrRange, "the file to continue has only %d bytes, not %d", f.size, n)
	}
	f.size = n
	return f, nil
}

// consistent reports whether the validator now allows that the object is unchanged.
func consistent(old, now fetch.Validator) bool {
	return !old.Exact() || now.IsZero() || old.Same(now)
}

// sameTail compares the n bytes at offset from that were fetched again with those of old.
func (j *job) sameTail(old *oldFile, d *fetch.Document, from, n int64) (bool, error) {
	f := j.target.dir
	here, there := f.buffer(), f.buffer()
	defer f.buffers.Put(here)
	defer f.buffers.Put(there)
	m, err := readSome(d.Body, there[:n])
	if err != nil && err != io.EOF {
		return false, err
	}
	if int64(m) < n {
		return false, nil
	}
	if _, err := old.file.ReadAt(here[:n], from); err != nil {
		return false, LocalError(err)
	}
	return bytes.Equal(here[:n], there[:n]), nil
}

// sumOld computes the checksum of a file that is complete already.
func (j *job) sumOld(old *oldFile) error {
	if !j.options.Sum {
		return nil
	}
	s := &staged{job: j, file: old.file, size: old.size}
	return s.sum()
}
