package save

import (
	"bytes"
	"io"
	"os"

	"example.org/deref/fetch"
)

// found is what may be continued.
type found struct {
	file  *os.File
	size  int64
	valid fetch.Validator // zero where nothing is known
	copy  bool            // file is NAME, which is not written to

	mediaType string // that the server declared, "" unknown
	host      string // that sent it, "" unknown
}

func (f *found) close() {
	if f.copy {
		f.file.Close()
	}
}

// find looks for NAME.part, then for NAME; nil means that there is nothing to continue.
func (j *job) find() (*found, error) {
	t := &j.target
	s, st := j.openPart()
	if s != nil {
		j.part = s
		if s.size > 0 {
			f := &found{file: s.file, size: s.size}
			if st.URI == j.subject() {
				f.valid, f.mediaType, f.host = st.validator(), st.Type, st.Host
			}
			return j.cutTo(f)
		}
	}
	if j.options.Number && !t.replace {
		return nil, nil // NAME is another document then
	}
	file, err := j.openRegular(t.name, os.O_RDONLY)
	if err != nil {
		return nil, nil
	}
	fi, err := file.Stat()
	if err != nil || fi.Size() == 0 {
		file.Close()
		return nil, localError(err)
	}
	t.old = fi
	return j.cutTo(&found{file: file, size: fi.Size(), copy: true})
}

// cutTo leaves as many octets as Options.From says.
func (j *job) cutTo(f *found) (*found, error) {
	n := j.options.From
	if n == 0 {
		return f, nil
	}
	if n > f.size {
		f.close()
		return nil, fetch.Errorf(fetch.ErrRange, "there are %d octets to continue from, not %d", f.size, n)
	}
	f.size = n
	return f, nil
}

// agree reports whether the server's word does not speak against an object's being the same.
func agree(old, now fetch.Validator) bool {
	return !old.Exact() || now.IsZero() || old.Same(now)
}

// sameTail compares the octets that were fetched again.
func (j *job) sameTail(old *found, d *fetch.Document, from, n int64) (bool, error) {
	f := j.target.folder
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
		return false, localError(err)
	}
	return bytes.Equal(here[:n], there[:n]), nil
}

// sumOf gives the sum of a file that is whole already.
func (j *job) sumOf(old *found) error {
	if !j.options.Sum {
		return nil
	}
	s := &staged{job: j, file: old.file, size: old.size}
	return s.sum()
}
