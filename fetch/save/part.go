package save

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
	"example.org/deref/fetch/mediatype"
)

const (
	partSuffix  = ".part"
	stateSuffix = ".part.json"
)

// state is the content of NAME.part.json: which object NAME.part belongs to.
type state struct {
	URI      string `json:"uri"` // without user, password and fragment
	Tag      string `json:"tag,omitempty"`
	Modified string `json:"modified,omitempty"`
	Size     int64  `json:"size,omitempty"`
	Type     string `json:"type,omitempty"` // as the server declared it
	Host     string `json:"host,omitempty"` // host and port that sent it, perhaps after redirects
}

// stateMax bounds how much of a state file is read.
const stateMax = 64 << 10

func (s state) validator() fetch.Validator {
	return fetch.Validator{Tag: s.Tag, Modified: s.Modified, Size: s.Size}
}

func (j *job) subject() string { return j.uri.WithoutUserinfo().WithoutFragment().String() }

// newPart creates NAME.part if that name is free. It returns nil if a temporary file must be used, because the name is in use, locked or
// too long.
func (j *job) newPart(d *fetch.Document) (*staged, error) {
	f, name := j.target.dir, j.target.name+partSuffix
	f.first.Do(func() {}) // from here on the list could not be trusted
	f.parts.Store(true)
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|openNow, j.target.perm())
	if err != nil {
		if isFull(err) {
			return nil, DiskError(err)
		}
		return nil, nil
	}
	s := &staged{job: j, file: file, name: name, part: true}
	if _, err := s.claim(); err != nil {
		if err != errClaimed {
			f.root.Remove(name)
		}
		file.Close()
		return nil, nil
	}
	if err := s.writeState(d); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// writeState writes the state of d next to the part. The final rename makes it either the old state or the new one.
func (s *staged) writeState(d *fetch.Document) error {
	v := d.Validator
	st := state{URI: s.job.subject(), Tag: v.Tag, Modified: v.Modified, Size: v.Size, Host: hostOf(d.URI)}
	if d.TypeReason == declaredType {
		st.Type = mediatype.Essence(d.Type)
	}
	f, name := s.job.target.dir, s.job.target.name+stateSuffix
	r, err := f.replace(name, nil, 0o600) // a query may hold a secret
	if err == nil {
		_, err = r.End(json.NewEncoder(r).Encode(st))
	}
	return err
}

// restart empties the part for another version of the object. The part is emptied before its state changes, so that bytes of one version
// never stand next to the state of the other.
func (s *staged) restart(d *fetch.Document) error {
	if err := s.file.Truncate(0); err != nil {
		return DiskError(err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return DiskError(err)
	}
	s.size = 0
	return s.writeState(d)
}

// readState reads NAME.part.json. ok is false if there is none, or one of another program.
func (j *job) readState() (s state, ok bool, err error) {
	f, err := j.openRegular(j.target.name+stateSuffix, os.O_RDONLY)
	if f == nil {
		return s, false, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, stateMax))
	if err != nil {
		return s, false, LocalError(err)
	}
	return s, json.Unmarshal(text, &s) == nil && s.URI != "", nil
}

// openRegular opens a regular file of that name. It returns nil if there is none; a link or a device is none.
func (j *job) openRegular(name string, flag int) (*os.File, error) {
	root := j.target.dir.root
	before, err := root.Lstat(name)
	if err != nil {
		return nil, unlessGone(err)
	}
	if !before.Mode().IsRegular() {
		return nil, nil
	}
	f, err := root.OpenFile(name, flag|openNow, 0)
	if err != nil {
		return nil, unlessGone(err)
	}
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		f.Close()
		return nil, LocalError(err)
	}
	return f, nil
}

// unlessGone returns nil if err means that there is no such file.
func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return LocalError(err)
}

// openPart claims NAME.part. It returns nil if there is none, if it has content but no state, or if another process has locked it.
func (j *job) openPart() (s *staged, st state, err error) {
	name := j.target.name + partSuffix
	f, err := j.openRegular(name, os.O_RDWR)
	if f == nil {
		return nil, st, err
	}
	s = &staged{job: j, file: f, name: name, part: true}
	st, ok, err := j.readState()
	if err == nil {
		s.size, err = s.claim()
	}
	if err != nil || !ok && s.size > 0 {
		f.Close()
		if err == errClaimed {
			err = nil
		}
		return nil, state{}, err
	}
	return s, st, nil
}

// errClaimed means that the part belongs to another job.
var errClaimed = errors.New("claimed by another job")

// claim locks the part and returns its size. It returns errClaimed if another process has locked it, or if its previous owner has just finished
// or removed it, so that the name belongs to another file or to none.
func (s *staged) claim() (size int64, err error) {
	if _, err := lock.File(s.file); errors.Is(err, lock.ErrHeld) {
		return 0, errClaimed
	} else if err != nil {
		return 0, err
	}
	fi, err := s.file.Stat()
	if err != nil {
		return 0, LocalError(err)
	}
	now, err := s.job.target.dir.root.Lstat(s.name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(fi, now):
		return 0, errClaimed
	case err != nil:
		return 0, LocalError(err)
	}
	return fi.Size(), nil
}

// dropParts removes the partial file of an earlier run, because the document d is complete now. It keeps the partial files of other documents.
func (j *job) dropParts(d *fetch.Document) {
	root := j.target.dir.root
	s := j.part
	if s == nil {
		if !j.target.own && j.target.dir.knownFree(j.target.name+stateSuffix) {
			return
		}
		if _, err := root.Lstat(j.target.name + stateSuffix); err != nil {
			return
		}
		var st state
		if s, st, _ = j.openPart(); s == nil {
			return
		}
		old := &oldFile{file: s.file, size: s.size, state: st}
		if s.size > 0 && st.URI == j.subject() && j.checkSource(old, d) != nil {
			s.file.Close()
			j.result.Part = ""
			return
		}
	}
	j.part = nil
	s.remove()
}
