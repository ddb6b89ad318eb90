package batch

import (
	"bufio"
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/offsets"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A Frontier is a list that grows while it is processed, such as the links of a crawl. It contains a URI only once, however often it is
// added, whatever its password, and whether it is an IRI.
//
// It is a file of JSON Lines in the order of adding, and its size in memory is constant. A Frontier with a path outlives the process: with
// a State, an interrupted run, even after SIGKILL, is continued. It is safe for concurrent use.
type Frontier struct {
	file  *os.File
	named bool
	seed  maphash.Seed

	mu      sync.Mutex
	grown   sync.Cond // signaled when lines were added or no item is pending
	size    int64     // bytes in complete lines
	seen    offsets.Table
	pending int64 // items that were returned and are not finished
	stopped bool
	err     error
}

// frontierLine is an item in the file.
type frontierLine struct {
	URI  uri.URI         `json:"uri"`
	Note json.RawMessage `json:"note,omitempty"`
}

// maxFrontierLine bounds a line.
const maxFrontierLine = 1 << 20

// OpenFrontier opens the file path and creates it if it does not exist. With "" it uses an unnamed file for this process alone.
func OpenFrontier(path string) (*Frontier, error) {
	var f *os.File
	var err error
	if path == "" {
		if f, err = os.CreateTemp("", ".deref-frontier-"); err == nil {
			os.Remove(f.Name()) // if the system cannot remove an open file, Close does
		}
	} else {
		f, err = save.Open(path, os.O_RDWR|os.O_CREATE, 0o600) // a URI may hold a secret
	}
	if err != nil && fetch.KindOf(err) == "" {
		err = fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if err != nil {
		return nil, err
	}
	r := &Frontier{file: f, named: path != "", seed: maphash.MakeSeed()}
	r.grown.L = &r.mu
	if path != "" {
		r.seen.Dir = filepath.Dir(path)
	}
	if err := r.load(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// load reads the file. It drops an incomplete last line, which was never returned.
func (f *Frontier) load() error {
	in := bufio.NewReaderSize(f.file, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		var l frontierLine
		if err == nil {
			err = json.Unmarshal(line, &l)
		}
		if err == nil {
			err = f.enter(l.URI, f.size)
		}
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err)
		}
		f.size += int64(len(line))
	}
	if err := f.file.Truncate(f.size); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	return nil
}

// Add appends the URI of u (URI.ASCII) unless it is present. note, which may be nil, becomes the Item's Note.
func (f *Frontier) Add(u uri.URI, note json.RawMessage) (added bool, err error) {
	u = u.ASCII()
	line, err := json.Marshal(frontierLine{u, note})
	if err != nil || len(line) >= maxFrontierLine {
		return false, errors.Join(fetch.Errorf(fetch.ErrLimit, "the frontier: invalid or too long note"), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, err := f.has(u); known || err != nil {
		return false, err
	}
	if _, err := f.file.WriteAt(append(line, '\n'), f.size); err != nil {
		return false, fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	if err := f.enter(u, f.size); err != nil {
		return false, fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	f.size += int64(len(line)) + 1
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

// Close closes the file.
func (f *Frontier) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen.Close()
	if !f.named {
		os.Remove(f.file.Name())
	}
	return f.file.Close()
}

// has and enter are called with the lock held, except by load.
func (f *Frontier) has(u uri.URI) (bool, error) {
	_, known, err := f.seen.Find(f.hash(u), f.is(u))
	if err != nil {
		return false, fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	return known, nil
}

func (f *Frontier) enter(u uri.URI, offset int64) error {
	return f.seen.Put(f.hash(u), f.is(u), offset)
}

// hash uses a secret seed, so that no server can construct URIs with equal hashes.
func (f *Frontier) hash(u uri.URI) uint64 {
	return maphash.String(f.seed, u.WithoutPassword().String())
}

// is returns a function that compares u with the line at an offset.
func (f *Frontier) is(u uri.URI) func(int64) bool {
	return func(offset int64) bool {
		line, err := bufio.NewReaderSize(io.NewSectionReader(f.file, offset, maxFrontierLine), 1<<10).ReadBytes('\n')
		var l frontierLine
		return err == nil && json.Unmarshal(line, &l) == nil && l.URI.WithoutPassword() == u.WithoutPassword()
	}
}
