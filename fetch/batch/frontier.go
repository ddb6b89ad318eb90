package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/offsets"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A Frontier is a list that grows while it is worked through: what the documents of a crawl lead to. A URI stands in it once,
// however often it is added and whatever its password.
//
// It is a file of JSON Lines, in the order of adding, and what is known of it in memory does not grow with it. One that was made
// with a path outlives the process: together with a State of its own, a run that was interrupted, by SIGKILL too, goes on where it was. It is
// safe for concurrent use.
type Frontier struct {
	file  *os.File
	named bool
	seed  maphash.Seed

	mu      sync.Mutex
	grown   sync.Cond // or nothing is under way any more
	size    int64     // octets of whole lines
	seen    offsets.Table
	pending int64 // items that were given out and have not come to their end
	stopped bool
	err     error
}

// frontierLine is an item as the file has it.
type frontierLine struct {
	URI  uri.URI         `json:"uri"`
	Note json.RawMessage `json:"note,omitempty"`
}

// maxFrontierLine bounds a line that is read.
const maxFrontierLine = 1 << 20

// OpenFrontier opens the file path, after making it where it is missing; "" is a file without a name, for this process alone.
func OpenFrontier(path string) (*Frontier, error) {
	var f *os.File
	var err error
	if path == "" {
		if f, err = os.CreateTemp("", ".deref-frontier-"); err == nil {
			os.Remove(f.Name()) // where it cannot lose its name yet, Close removes it
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

// load finds out what the file holds. A last line that is not whole was never given out: it is dropped.
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
			err = f.see(l.URI, f.size)
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

// Add puts u at the end, unless it is there already. note, which may be nil, becomes that of the Item.
func (f *Frontier) Add(u uri.URI, note json.RawMessage) (added bool, err error) {
	line, err := json.Marshal(frontierLine{u, note})
	if err != nil || len(line) >= maxFrontierLine {
		return false, errors.Join(fetch.Errorf(fetch.ErrLimit, "a note of the frontier is too long or none"), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, err := f.has(u); known || err != nil {
		return false, err
	}
	if _, err := f.file.WriteAt(append(line, '\n'), f.size); err != nil {
		return false, fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	if err := f.see(u, f.size); err != nil {
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
	return f.has(u)
}

// Len returns how many URIs were added.
func (f *Frontier) Len() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen.Len()
}

// Close ends the use of the file.
func (f *Frontier) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen.Close()
	if !f.named {
		os.Remove(f.file.Name())
	}
	return f.file.Close()
}

// Run does the items, those that it adds meanwhile included, and returns when there are no more.
func (f *Frontier) Run(ctx context.Context, task Task, o *Options) (Summary, error) {
	var c Options
	if o != nil {
		c = *o
	}
	c.frontier = f
	stop := context.AfterFunc(ctx, func() { f.stop(nil) })
	defer stop()
	defer f.stop(nil)
	f.mu.Lock()
	f.pending, f.stopped, f.err = 0, false, nil
	f.mu.Unlock()
	sum, err := Run(ctx, f.items(), task, &c)
	f.mu.Lock()
	defer f.mu.Unlock()
	return sum, errors.Join(err, f.err)
}

// items yields the lines in order, and waits at the end while something is under way that may add more.
func (f *Frontier) items() iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		in := bufio.NewReaderSize(nil, 64<<10)
		at, read := int64(0), int64(0)
		for {
			end, ok := f.wait(at)
			if !ok {
				return
			}
			if at == read { // in has nothing
				in.Reset(io.NewSectionReader(f.file, at, end-at))
				read = end
			}
			line, err := in.ReadBytes('\n')
			var l frontierLine
			if err == nil {
				err = json.Unmarshal(line, &l)
			}
			if err != nil {
				f.stop(fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err))
				return
			}
			at += int64(len(line))
			if !yield(&Item{URI: l.URI, Note: l.Note}, nil) {
				return
			}
		}
	}
}

// wait returns where the file ends, once that is behind at; ok is false when it never will be.
func (f *Frontier) wait(at int64) (end int64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.size <= at && f.pending > 0 && !f.stopped {
		f.grown.Wait()
	}
	if f.size <= at || f.stopped {
		return 0, false
	}
	f.pending++
	return f.size, true
}

// ended says that an item has come to its end: it adds no more. A nil f has nobody waiting.
func (f *Frontier) ended() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending--
	f.grown.Signal()
}

func (f *Frontier) stop(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.err = errors.Join(f.err, err)
	f.grown.Broadcast()
}

// has and see are called with the lock held, but by load.
func (f *Frontier) has(u uri.URI) (bool, error) {
	_, known, err := f.seen.Find(f.hash(u), f.is(u))
	if err != nil {
		return false, fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	return known, nil
}

func (f *Frontier) see(u uri.URI, offset int64) error { return f.seen.Put(f.hash(u), f.is(u), offset) }

// hash has a seed that nobody else knows: no server can make URIs that all have one.
func (f *Frontier) hash(u uri.URI) uint64 {
	return maphash.String(f.seed, u.WithoutPassword().String())
}

// is compares u with the line at an offset.
func (f *Frontier) is(u uri.URI) func(int64) bool {
	return func(offset int64) bool {
		line, err := bufio.NewReaderSize(io.NewSectionReader(f.file, offset, maxFrontierLine), 1<<10).ReadBytes('\n')
		var l frontierLine
		return err == nil && json.Unmarshal(line, &l) == nil && l.URI.WithoutPassword() == u.WithoutPassword()
	}
}
