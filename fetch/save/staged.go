package save

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"example.org/deref/fetch"
)

// A staged file is what is written before the final name changes: a temporary file, or NAME.part, which outlives an
// interruption and is locked against other processes.
type staged struct {
	job  *job
	file *os.File
	name string
	part bool
	size int64
}

// temp stages a file that does not outlive the job.
func (j *job) temp() (*staged, error) {
	f, name, err := j.target.folder.temp(j.target.perm())
	if err != nil {
		return nil, err
	}
	return &staged{job: j, file: f, name: name}, nil
}

// stage makes the file for a document that is not small: NAME.part if that is free, so that even SIGKILL leaves something to
// continue, or else a temporary.
func (j *job) stage(d *fetch.Document) (*staged, error) {
	if j.part != nil && j.part.size > 0 { // it stays until the new document is whole
		return j.temp()
	}
	if j.part != nil {
		return j.part, j.part.restart(d)
	}
	if j.continuable(d) {
		if s, err := j.newPart(d); s != nil || err != nil {
			return s, err
		}
	}
	return j.temp()
}

// finish writes p and the rest of d after the first start octets.
func (s *staged) finish(d *fetch.Document, start int64, p []byte) error {
	n, err := s.file.Write(p)
	s.size = start + int64(n)
	if err != nil {
		return s.abandon(d, diskError(err))
	}
	m, end := io.Copy(s.file, d.Body)
	s.size += m
	if end != nil && !isSession(end) {
		return s.abandon(d, copyError(end))
	}
	if s.job.options.Sum {
		if err := s.sum(); err != nil {
			return s.abandon(d, err)
		}
	}
	return besides(s.commit(d), end)
}

// sum reads the file again rather than hashing on the way, which would bring every octet through this process.
func (s *staged) sum() error {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(s.file, 0, s.size)); err != nil {
		return diskError(err)
	}
	s.job.result.SHA256 = hex.EncodeToString(h.Sum(nil))
	return nil
}

// abandon ends a save that failed because of cause. NAME.part stays if it can be continued.
func (s *staged) abandon(d *fetch.Document, cause error) error {
	j := s.job
	if !s.part || s.size == 0 || !j.keeps(d, cause) {
		s.drop()
		if j.old != nil && !j.old.copy {
			j.result.Part, j.result.Size = j.target.folder.join(j.target.name+partSuffix), j.old.size
		}
		return cause
	}
	s.file.Close()
	j.result.Part, j.result.Size = j.target.folder.join(s.name), s.size
	return cause
}

// drop removes the file and what belongs to it.
func (s *staged) drop() {
	f := s.job.target.folder
	if s.part {
		f.root.Remove(s.job.target.name + stateSuffix)
	}
	f.root.Remove(s.name)
	s.file.Close()
}

// commit gives the file, which is whole, its final name.
func (s *staged) commit(d *fetch.Document) error {
	if err := s.job.mayBecome(d, s.size); err != nil {
		s.drop()
		return err
	}
	if err := s.settle(d); err != nil {
		s.drop()
		return err
	}
	j := s.job
	t := &j.target
	name, err := t.name, error(nil)
	if j.options.Number && !t.replace {
		name, err = t.folder.placeNumbered(s.name, t.name)
	} else {
		err = t.folder.place(s.name, t.name, t.replace)
	}
	if err != nil {
		same := j.options.Equal && errors.Is(err, fs.ErrExist) && j.equal(s.name, t.name)
		t.folder.root.Remove(s.name)
		if same {
			j.result.Unchanged, j.result.Path, j.result.Size = true, t.folder.join(t.name), s.size
			return nil
		}
		if errors.Is(err, fs.ErrExist) {
			return existsError(t.folder.join(t.name))
		}
		return diskError(err)
	}
	j.result.Path, j.result.Size = t.folder.join(name), s.size
	j.dropParts(d)
	if j.options.Sync {
		return diskError(syncDir(t.folder.dir))
	}
	return nil
}

// settle does everything but the last rename, and closes the file: some systems report a failed write only then. NAME.part
// loses its name first, while it is locked, so that nobody else takes it for his to continue.
func (s *staged) settle(d *fetch.Document) error {
	j := s.job
	f := j.target.folder
	if s.part {
		name := tempName()
		if err := f.root.Rename(s.name, name); err != nil {
			return diskError(err)
		}
		f.root.Remove(j.target.name + stateSuffix)
		s.name, s.part, j.part = name, false, nil
	}
	if j.target.old != nil {
		var err error
		if j.result.Unkept, err = keep(s.file, j.target.folder, j.target.name, j.target.old); err != nil {
			return diskError(err)
		}
	}
	if j.options.Attributes {
		j.result.Untold = tell(s.file, d)
	}
	if j.options.Sync {
		if err := s.file.Sync(); err != nil {
			return diskError(err)
		}
	}
	if err := s.file.Close(); err != nil {
		return diskError(err)
	}
	if j.options.Times && !d.Modified.IsZero() {
		return diskError(f.setTime(s.name, d.Modified))
	}
	return nil
}
