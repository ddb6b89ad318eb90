package batch

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
	"example.org/deref/fetch/internal/spill"
	"example.org/deref/uri"
)

// A Frontier is a list that grows while it is processed, such as the links of a crawl. It contains a URI only once, however often it is
// added, whatever its password, and whether it is an IRI.
//
// It is a Log of JSON objects in the order of adding, by default a file of JSON Lines, and its size in memory is constant. A Frontier with a
// path outlives the process: with a State, an interrupted run, even after SIGKILL, is continued. It is safe for concurrent use.
type Frontier struct {
	log  Log
	file *fileLog // the log; nil if others append to that

	mu      lock.Long
	grown   sync.Cond // signaled when lines were added or no item is pending
	length  int64     // records, unless the log is shared
	seen    spill.Table
	pending int64 // items that were returned and are not finished
	stopped bool
	err     error
}

// A Record is what a Log holds of an item, as JSON.
type Record struct {
	URI  uri.URI         `json:"uri"`
	Note json.RawMessage `json:"note,omitempty"`
	Redo int64           `json:"redo,omitempty"` // see Item.Redo; only in a shared log
}

// OpenFrontier opens the file path and creates it if it does not exist. With "" it uses an unnamed file for this process alone.
func OpenFrontier(path string) (*Frontier, error) {
	file, err := openFileLog(path)
	if err != nil {
		return nil, err
	}
	f := newFrontier(file)
	f.file = file
	if path != "" {
		f.seen.Dir = filepath.Dir(path)
	}
	if err := file.load(f.load); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// NewFrontier returns the Frontier of a Log to which others append, and not Add. Close closes the Log. dir is the directory for its table of URIs
// if that becomes large; "" is the system's directory for temporary files.
//
// It knows the URIs of the records that Run has read from the Log. An Item whose URI is that of an earlier one is Duplicate. Run does not end
// before its context.
func NewFrontier(log Log, dir string) *Frontier {
	f := newFrontier(log)
	f.seen.Dir = dir
	return f
}

func newFrontier(log Log) *Frontier {
	f := &Frontier{log: log, mu: lock.NewLong()}
	f.grown.L = f.mu
	return f
}

// load enters a record of the file.
func (f *Frontier) load(line []byte, at int64) error {
	var l Record
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	f.length++
	return f.seen.Put(keyOf(l.URI), f.is(l.URI), at)
}

// Add appends the URI of u (URI.ASCII) unless it is present. note, which may be nil, becomes the Item's Note.
func (f *Frontier) Add(u uri.URI, note json.RawMessage) (added bool, err error) {
	u = u.ASCII()
	line, err := json.Marshal(Record{URI: u, Note: note})
	if err != nil || len(line) >= maxFrontierLine {
		return false, errors.Join(fetch.Errorf(fetch.ErrLimit, "the frontier: invalid or too long note"), err)
	}
	if f.file == nil {
		return false, fetch.Errorf(fetch.ErrUnsupported, "the frontier: others append to its log")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, err := f.has(u); known || err != nil {
		return false, err
	}
	at, err := f.file.append(line)
	if err != nil {
		return false, err
	}
	if err := f.enter(u, at); err != nil {
		return false, err
	}
	f.length++
	f.grown.Signal()
	return true, nil
}

// Has reports whether u was added.
func (f *Frontier) Has(u uri.URI) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.has(u.ASCII())
}

// Len returns how many URIs were added.
func (f *Frontier) Len() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen.Len()
}

// Close closes the Log.
func (f *Frontier) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen.Close()
	return f.log.Close()
}

// has and enter are called with the lock held.
func (f *Frontier) has(u uri.URI) (bool, error) {
	_, known, err := f.seen.Find(keyOf(u), f.is(u))
	if err != nil {
		return false, fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	return known, nil
}

func (f *Frontier) enter(u uri.URI, at int64) error {
	if err := f.seen.Put(keyOf(u), f.is(u), at); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	return nil
}

// isDuplicate enters a record of a shared log, and reports whether an earlier one has the same URI.
func (f *Frontier) isDuplicate(u uri.URI, at int64) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, err := f.has(u)
	if known || err != nil {
		return known, err
	}
	return false, f.enter(u, at)
}

// keyOf returns what all forms of a URI have in common.
func keyOf(u uri.URI) string { return u.WithoutPassword().String() }

// is returns a function that compares u with the record at a position.
func (f *Frontier) is(u uri.URI) func(int64) bool {
	return func(at int64) bool {
		record, err := f.log.Read(at)
		var l Record
		return err == nil && json.Unmarshal(record, &l) == nil && l.URI.WithoutPassword() == u.WithoutPassword()
	}
}
