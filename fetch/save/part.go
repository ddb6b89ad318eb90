package save

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/filelock"
	"example.org/deref/fetch/mediatype"
)

const (
	partSuffix  = ".part"
	stateSuffix = ".part.json"
)

// state is what NAME.part.json holds: whose octets NAME.part has.
type state struct {
	URI      string `json:"uri"` // without user, password and fragment
	Tag      string `json:"tag,omitempty"`
	Modified string `json:"modified,omitempty"`
	Size     int64  `json:"size,omitempty"`
	Type     string `json:"type,omitempty"` // as the server declared it
	Host     string `json:"host,omitempty"` // that sent it, perhaps after redirects, with its port
}

// stateMax bounds a state that is read.
const stateMax = 64 << 10

func (s state) validator() fetch.Validator {
	return fetch.Validator{Tag: s.Tag, Modified: s.Modified, Size: s.Size}
}

func (j *job) subject() string { return j.uri.WithoutUserinfo().WithoutFragment().String() }

// newPart makes NAME.part, if nothing of that name is there. It returns nil where a temporary must do: the name is taken,
// locked, or too long.
func (j *job) newPart(d *fetch.Document) (*staged, error) {
	f, name := j.target.folder, j.target.name+partSuffix
	f.first.Do(func() {}) // if nobody has asked, it is not worth asking
	f.parts.Store(true)
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|openNow, j.target.perm())
	if err != nil {
		if isFull(err) {
			return nil, diskError(err)
		}
		return nil, nil
	}
	s := &staged{job: j, file: file, name: name, part: true}
	if held, _ := filelock.Lock(file); !held { // another process continues what we have just made, which is empty
		file.Close()
		return nil, nil
	}
	if err := s.note(d); err != nil {
		s.drop()
		return nil, err
	}
	return s, nil
}

// note writes the state of d beside the part, by a rename: it is the old one or the new one.
func (s *staged) note(d *fetch.Document) error {
	v := d.Validator
	st := state{URI: s.job.subject(), Tag: v.Tag, Modified: v.Modified, Size: v.Size, Host: hostOf(d.URI)}
	if d.TypeReason == declaredType {
		st.Type = mediatype.Essence(d.Type)
	}
	b, err := json.Marshal(st)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	f := s.job.target.folder
	file, name, err := f.temp(0o600) // a query may hold a secret
	if err != nil {
		return err
	}
	_, err = file.Write(append(b, '\n'))
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = f.root.Rename(name, s.job.target.name+stateSuffix)
	}
	if err != nil {
		f.root.Remove(name)
	}
	return diskError(err)
}

// restart empties the part for another state of the object. It is void before its state changes, so that at no moment octets
// of one stand beside the state of the other.
func (s *staged) restart(d *fetch.Document) error {
	if err := s.file.Truncate(0); err != nil {
		return diskError(err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return diskError(err)
	}
	s.size = 0
	return s.note(d)
}

// readState reads NAME.part.json. ok is false where there is none, or one that is not ours.
func (j *job) readState() (s state, ok bool) {
	f, err := j.openRegular(j.target.name+stateSuffix, os.O_RDONLY)
	if err != nil {
		return s, false
	}
	defer f.Close()
	err = json.NewDecoder(io.LimitReader(f, stateMax)).Decode(&s)
	return s, err == nil && s.URI != ""
}

// openRegular opens a file of that name, but no link and no device.
func (j *job) openRegular(name string, flag int) (*os.File, error) {
	root := j.target.folder.root
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	f, err := root.OpenFile(name, flag|openNow, 0)
	if err != nil {
		return nil, err
	}
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		f.Close()
		return nil, errors.Join(fs.ErrInvalid, err)
	}
	return f, nil
}

// openPart claims NAME.part. It returns nil if there is none, if it has content but no state, or if another process has it.
func (j *job) openPart() (*staged, state) {
	name := j.target.name + partSuffix
	f, err := j.openRegular(name, os.O_RDWR)
	if err != nil {
		return nil, state{}
	}
	s := &staged{job: j, file: f, name: name, part: true}
	st, ok := j.readState()
	fi, err := f.Stat()
	held, _ := filelock.Lock(f)
	if err != nil || !held || !s.stillNamed(fi) || !ok && fi.Size() > 0 {
		f.Close()
		return nil, state{}
	}
	s.size = fi.Size()
	return s, st
}

// stillNamed reports whether the part, now locked, still has its name: its owner may have finished with it a moment ago.
func (s *staged) stillNamed(fi fs.FileInfo) bool {
	now, err := s.job.target.folder.root.Lstat(s.name)
	return err == nil && os.SameFile(fi, now)
}

// dropParts removes what an earlier interruption left, now that the document d is whole, unless that is something else altogether.
func (j *job) dropParts(d *fetch.Document) {
	root := j.target.folder.root
	s := j.part
	if s == nil {
		if !j.target.own && j.target.folder.lacks(j.target.name+stateSuffix) {
			return
		}
		if _, err := root.Lstat(j.target.name + stateSuffix); err != nil {
			return
		}
		var st state
		if s, st = j.openPart(); s == nil {
			return
		}
		old := &found{file: s.file, size: s.size, mediaType: st.Type, host: st.Host}
		if s.size > 0 && st.URI == j.subject() && j.isForeign(old, d) != nil {
			s.file.Close()
			j.result.Part = ""
			return
		}
	}
	j.part = nil
	s.drop()
}
