package watch

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
	"example.org/deref/fetch/save"
)

// A State is a file of Records, JSON Lines, that is read and written as a whole. It is locked against other processes. It is not safe for concurrent
// use. Without a file, it is forgotten at the end of the process.
type State struct {
	path    string
	lock    *os.File
	records map[string]Record
}

// maxLine bounds a line of the file: a text that JSON escapes takes up to six times its length.
const maxLine = 6*maxText + 64<<10

// OpenState reads the file path, and creates it if it does not exist. It returns ErrLocal if another process uses it. With "" the State is only in memory.
func OpenState(path string) (*State, error) {
	s := &State{path: path, records: map[string]Record{}}
	if path == "" {
		return s, nil
	}
	if err := s.claim(); err != nil {
		return nil, err
	}
	if err := s.read(); err != nil {
		s.lock.Close()
		return nil, err
	}
	return s, nil
}

// claim locks the file that has the name now. A writer that has just replaced it may have been waiting for the same name.
func (s *State) claim() error {
	for range 100 {
		f, err := save.Open(s.path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if _, err := lock.File(f); err != nil {
			f.Close()
			return err
		}
		is, err := f.Stat()
		named, nerr := os.Stat(s.path)
		if err == nil && nerr == nil && os.SameFile(is, named) {
			s.lock = f
			return nil
		}
		f.Close()
		if err = errors.Join(err, nerr); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
	}
	return fetch.Errorf(fetch.ErrLocal, "%s is replaced again and again", s.path)
}

func (s *State) read() error {
	in := bufio.NewScanner(s.lock)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		var r Record
		if err := json.Unmarshal(in.Bytes(), &r); err != nil || r.URI == "" {
			return fetch.Errorf(fetch.ErrLocal, "%s is not a state of watched documents", s.path)
		}
		s.records[r.URI] = r
	}
	if err := fetch.LineError(in.Err(), maxLine); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%s: %w", s.path, err)
	}
	return nil
}

// Get returns the Record of a URI, by its name without a password, or nil.
func (s *State) Get(name string) *Record {
	if r, ok := s.records[name]; ok {
		return &r
	}
	return nil
}

// Set replaces the Record of its URI. Save writes it.
func (s *State) Set(r Record) { s.records[r.URI] = r }

// Save replaces the file: at any moment it has either the old contents or the new, and is locked.
func (s *State) Save() error {
	if s.path == "" {
		return nil
	}
	r, err := save.Replace(s.path, 0o600)
	if err != nil {
		return err
	}
	next, err := r.Lock()
	enc := json.NewEncoder(r)
	enc.SetEscapeHTML(false)
	for _, name := range slices.Sorted(maps.Keys(s.records)) {
		err = cmp.Or(err, enc.Encode(s.records[name]))
	}
	if _, err = r.End(err); err != nil || next == nil {
		next.Close()
		return err
	}
	s.lock.Close()
	s.lock = next
	return nil
}

// Close releases the file.
func (s *State) Close() error {
	if s.path == "" {
		return nil
	}
	return lock.Close(s.lock)
}
