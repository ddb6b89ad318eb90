package save

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
)

// A staged file is written before the final name changes. It is a temporary file, or NAME.part, which survives an interruption and is
// locked against other processes.
type staged struct {
	job  *job
	file *os.File
	name string
	part bool
	size int64
}

// temp stages a file that does not outlive the job.
func (j *job) temp() (*staged, error) {
	f, name, err := j.target.dir.temp(j.target.perm())
	if err != nil {
		return nil, err
	}
	return &staged{job: j, file: f, name: name}, nil
}

// stage creates the file for a document that is not small: NAME.part if that is free, so that even SIGKILL leaves something to continue, or
// else a temporary file.
func (j *job) stage(d *fetch.Document) (*staged, error) {
	if j.part != nil && j.part.size > 0 { // the old file stays until the new document is complete
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

// writeRest writes p and the rest of d after the first start bytes.
func (s *staged) writeRest(d *fetch.Document, start int64, p []byte) error {
	n, err := s.file.Write(p)
	s.size = start + int64(n)
	if err != nil {
		return s.abandon(d, DiskError(err))
	}
	m, end := io.Copy(s.file, d.Body)
	if s.size += m; damageOf(end) != nil {
		if end = s.repair(end); end != nil {
			return s.abandonDamaged(end)
		}
	}
	if end != nil && !isSession(end) {
		return s.abandon(d, copyError(end))
	}
	s.job.result.SHA256 = s.job.knownSum()
	return cmp.Or(s.commit(d), end)
}

// sum reads the file again. Hashing while writing would move every byte through this process.
func (s *staged) sum() error {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(s.file, 0, s.size)); err != nil {
		return DiskError(err)
	}
	s.job.result.SHA256 = hex.EncodeToString(h.Sum(nil))
	return nil
}

// abandon ends a save that failed because of cause. NAME.part stays if it can be continued.
func (s *staged) abandon(d *fetch.Document, cause error) error {
	j := s.job
	if !s.part || s.size == 0 || !j.keepsAfter(d, cause) {
		s.remove()
		if j.old != nil && !j.old.copy {
			j.keptPart(j.old.size)
		}
		return cause
	}
	s.leave()
	return cause
}

// leave keeps NAME.part.
func (s *staged) leave() {
	lock.Close(s.file)
	s.job.keptPart(s.size)
}

// keptPart makes NAME.part, which has size bytes, a part of the result.
func (j *job) keptPart(size int64) {
	j.result.Part, j.result.Size = j.target.dir.join(j.target.name+partSuffix), size
}

// remove deletes the file and its state.
func (s *staged) remove() {
	f := s.job.target.dir
	if s.part {
		f.root.Remove(s.job.target.name + stateSuffix)
	}
	f.root.Remove(s.name)
	s.file.Close()
}

// commit completes the file and renames it to its final name.
func (s *staged) commit(d *fetch.Document) error {
	if err := s.job.checkResult(d, s.size); err != nil {
		s.remove()
		return err
	}
	if s.job.options.Sum && s.job.result.SHA256 == "" {
		if err := s.sum(); err != nil {
			return s.abandon(d, err)
		}
	}
	if err := s.finalize(d); err != nil {
		return s.abandon(d, err)
	}
	return s.place(d)
}

// place renames the file, which is complete and closed, to its final name.
func (s *staged) place(d *fetch.Document) error {
	j := s.job
	t := &j.target
	same, err := false, error(nil)
	if j.continues {
		same, err = s.succeeds()
	}
	switch {
	case same || err != nil:
	case t.replace:
		err = t.dir.root.Rename(s.name, t.name)
	default:
		err = t.dir.renameNew(s.name, t.name)
		if j.options.Equal && errors.Is(err, fs.ErrExist) {
			order, equal := j.compareFiles(t.name, s.name)
			same = equal && order == 0
		}
	}
	if same || err != nil {
		t.dir.root.Remove(s.name)
	}
	switch {
	case same:
		j.result.Unchanged, j.result.Path, j.result.Size = true, t.file(), s.size
		j.dropParts(d)
		return nil
	case errors.Is(err, fs.ErrExist) && fetch.KindOf(err) == "":
		if err := j.setName(t.name); err != nil { // which refuses a directory
			return err
		}
		if j.keeps() { // a file that was made meanwhile
			return j.unchanged()
		}
		return existsError(t.file())
	case err != nil:
		return DiskError(err)
	}
	j.result.Path, j.result.Size = t.file(), s.size
	j.dropParts(d)
	if j.options.Sync {
		return DiskError(t.dir.sync())
	}
	return nil
}

// succeeds reports whether the file at NAME is the same as the complete one, which otherwise may replace it if it begins with it.
func (s *staged) succeeds() (same bool, err error) {
	j := s.job
	order, begins := j.compareFiles(j.target.name, s.name)
	switch {
	case begins && order == 0 && j.options.From == 0:
		return true, nil
	case begins && order <= 0:
		j.target.replace = true
	case j.target.replace:
		j.result.Restarted = true
	default:
		return false, j.differs()
	}
	return false, nil
}

// finalize does everything but the final rename, and closes the file, because some systems report a failed write only then. NAME.part is
// renamed first, while it is locked, so that no other process continues it.
func (s *staged) finalize(d *fetch.Document) error {
	j := s.job
	f := j.target.dir
	if s.part {
		name := tempName()
		if err := f.root.Rename(s.name, name); err != nil {
			return DiskError(err)
		}
		f.root.Remove(j.target.name + stateSuffix)
		s.name, s.part, j.part = name, false, nil
	}
	if j.target.old != nil {
		var err error
		if j.result.LostMetadata, err = keep(s.file, j.target.dir, j.target.name, j.target.old); err != nil {
			return DiskError(err)
		}
	}
	if j.options.Sync {
		if err := Sync(s.file); err != nil {
			return DiskError(err)
		}
	}
	if err := s.file.Close(); err != nil {
		return DiskError(err)
	}
	if t := j.timeOf(d); !t.IsZero() {
		return DiskError(f.root.Chtimes(s.name, time.Time{}, t))
	}
	return nil
}
