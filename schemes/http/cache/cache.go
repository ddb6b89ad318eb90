// Package cache keeps answers of HTTP in a folder, as the private cache of one user: RFC 9111, and stale-if-error of RFC 5861. Several
// processes may use one folder: an entry appears and is replaced by renaming, and whoever reads one keeps what it has opened.
//
// There is no kept library that is obtainable for it.
package cache

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// DefaultSize bounds a cache that is opened without a size.
const DefaultSize = 256 << 20

// maxMeta bounds the description of an entry.
const maxMeta = 2 << 20

// A Cache is a folder of answers. It is safe for concurrent use.
type Cache struct {
	dir string
	max int64

	mu   sync.Mutex
	size int64 // octets, as far as this process knows; -1 before the first look
}

// Open makes the folder if there is none. max bounds its octets; 0 means DefaultSize.
func Open(dir string, max int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if max <= 0 {
		max = DefaultSize
	}
	return &Cache{dir: dir, max: max, size: -1}, nil
}

// Meta describes an answer.
type Meta struct {
	URI       string
	Status    int
	Reason    string
	Header    map[string][]string
	Vary      map[string]string // what the request said in the fields that Vary names
	Requested time.Time
	Received  time.Time
	Body      string // the file that holds the octets
	Size      int64
}

// An Entry is an answer that the cache holds. Its body is open until Close.
type Entry struct {
	Meta
	file *os.File
}

func (c *Cache) path(uri string) string {
	sum := sha256.Sum256([]byte(uri))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:])+metaSuffix)
}

const (
	metaSuffix = ".json"
	bodySuffix = ".body"
	tempPrefix = "new-"
)

// Get returns the answer for uri to a request with those fields, nil if there is none.
func (c *Cache) Get(uri string, request func(name string) string) *Entry {
	f, err := os.Open(c.path(uri))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMeta))
	e := &Entry{}
	if err != nil || json.Unmarshal(b, &e.Meta) != nil || e.URI != uri || filepath.Base(e.Body) != e.Body {
		return nil
	}
	for name, value := range e.Vary {
		if request(name) != value {
			return nil
		}
	}
	if e.file, err = os.Open(filepath.Join(c.dir, e.Body)); err != nil {
		return nil
	}
	if info, err := e.file.Stat(); err != nil || info.Size() != e.Size {
		e.file.Close()
		return nil
	}
	now := time.Now()
	os.Chtimes(c.path(uri), now, now) // the least recently used go first
	return e
}

// Read reads the stored body.
func (e *Entry) Read(p []byte) (int, error) { return e.file.Read(p) }

// Close closes the body.
func (e *Entry) Close() error { return e.file.Close() }

// Freshen puts the fields of a 304 in place of the stored ones. RFC 9111 section 3.2.
func (c *Cache) Freshen(e *Entry, header map[string][]string, requested, received time.Time) error {
	for name, values := range header {
		switch name {
		case "Content-Length", "Content-Encoding", "Content-Range", "Content-Type", "Transfer-Encoding", "Connection", "Trailer":
		default:
			e.Header[name] = values
		}
	}
	e.Requested, e.Received = requested, received
	return c.write(e.Meta)
}

// Forget removes what is held for uri.
func (c *Cache) Forget(uri string) { os.Remove(c.path(uri)) }

func (c *Cache) write(m Meta) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, tempPrefix+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path(m.URI))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// A Writer takes the body of a new entry.
type Writer struct {
	cache *Cache
	meta  Meta
	file  *os.File
	size  int64
	err   error
}

// New begins an entry, which is there once Commit has been called.
func (c *Cache) New(m Meta) (*Writer, error) {
	var name [16]byte
	rand.Read(name[:])
	m.Body = hex.EncodeToString(name[:]) + bodySuffix
	f, err := os.OpenFile(filepath.Join(c.dir, m.Body), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &Writer{cache: c, meta: m, file: f}, nil
}

// Write adds to the body. It never fails: an entry that cannot be written is not committed.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err == nil && w.size+int64(len(p)) > w.cache.max/4 {
		w.err = io.ErrShortWrite // one document is not worth all others
	}
	if w.err == nil {
		_, w.err = w.file.Write(p)
		w.size += int64(len(p))
	}
	return len(p), nil
}

// Commit makes the entry appear, in place of an earlier one.
func (w *Writer) Commit() {
	if err := w.file.Close(); w.err == nil {
		w.err = err
	}
	w.meta.Size = w.size
	if w.err == nil {
		w.err = w.cache.write(w.meta)
	}
	if w.err != nil {
		os.Remove(w.file.Name())
		return
	}
	w.cache.bound(w.size)
}

// Abort forgets what was written.
func (w *Writer) Abort() {
	w.file.Close()
	os.Remove(w.file.Name())
}
