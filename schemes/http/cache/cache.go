// Package cache keeps answers of HTTP in a folder, as the private cache of one user: RFC 9111, and stale-if-error of RFC 5861. Several
// processes may use one folder: an entry appears and is replaced by renaming, and whoever reads one keeps what it has opened.
//
// One response is stored for each URI. Documents, redirects and the errors that are heuristically cacheable are stored; parts, other errors and
// Set-Cookie are not. testdata/caching.txt of schemes/http lists the cases.
//
// There is no kept library that is obtainable for it.
package cache

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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

	mu    sync.Mutex
	size  int64 // octets at the last look; -1 before the first
	grown int64 // what this process has added since
}

// Open makes the folder if there is none; files in it that are none of the cache's are left alone. max bounds its octets, which several
// processes together may pass by an eighth each; 0 means DefaultSize.
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
	left int64 // bytes of the body to read
}

func (c *Cache) path(uri string) string {
	sum := sha256.Sum256([]byte(uri))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:])+metaSuffix)
}

// The cache's files: 64 digits of the URI's hash, 32 digits at random, and what a file is called before it is whole.
const (
	metaSuffix = ".json"
	bodySuffix = ".body"
	tempPrefix = "deref-new-"
	metaDigits = 2 * sha256.Size
	bodyDigits = 32
)

func isMeta(name string) bool { return isNumbered(name, metaSuffix, metaDigits) }
func isBody(name string) bool { return isNumbered(name, bodySuffix, bodyDigits) }

func isNumbered(name, suffix string, digits int) bool {
	stem, ok := strings.CutSuffix(name, suffix)
	return ok && len(stem) == digits && strings.Trim(stem, "0123456789abcdef") == ""
}

// Get returns the answer for uri to a request with those fields, nil if there is none.
func (c *Cache) Get(uri string, request func(name string) string) *Entry {
	m, ok := readMeta(c.path(uri))
	if !ok || m.URI != uri {
		return nil
	}
	e := &Entry{Meta: m}
	for name, value := range e.Vary {
		if request(name) != value {
			return nil
		}
	}
	var err error
	if e.file, err = openFile(filepath.Join(c.dir, e.Body)); err != nil {
		return nil
	}
	if info, err := e.file.Stat(); err != nil || info.Size() != e.Size {
		e.file.Close()
		return nil
	}
	e.left = e.Size
	now := time.Now()
	os.Chtimes(c.path(uri), now, now) // the least recently used go first
	return e
}

// readMeta reads the description of an entry, if it is one.
func readMeta(path string) (m Meta, ok bool) {
	f, err := openFile(path)
	if err != nil {
		return m, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMeta))
	return m, err == nil && json.Unmarshal(b, &m) == nil && isBody(m.Body) && m.Header != nil
}

// openFile opens what the cache has written: a pipe in its place would keep us waiting, and a link would give out a file of elsewhere.
func openFile(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	return os.Open(path)
}

// Read reads the stored body.
func (e *Entry) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n, err := e.file.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	return n, err
}

// Cut makes [from,to) of the body what Read reads.
func (e *Entry) Cut(from, to int64) error {
	_, err := e.file.Seek(from, io.SeekStart)
	e.left = to - from
	return err
}

// Close closes the body.
func (e *Entry) Close() error { return e.file.Close() }

// Freshen puts the fields of a 304, or of the response to HEAD, in the place of the stored ones. RFC 9111 sections 3.2 and 4.3.5.
func (c *Cache) Freshen(e *Entry, header map[string][]string, request func(name string) string, requested, received time.Time) error {
	header = maps.Clone(header)
	strip(header)
	for _, name := range bodyFields {
		delete(header, name)
	}
	maps.Copy(e.Header, header)
	if _, ok := header["Vary"]; ok {
		e.Vary = Select(e.Header, request)
	}
	if !has(header, "Age") {
		delete(e.Header, "Age") // of the earlier response, as its Date: the confirmed one would stay stale
	}
	if !has(header, "Date") {
		e.Header["Date"] = []string{received.UTC().Format(http.TimeFormat)}
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
	m.Header = maps.Clone(m.Header)
	strip(m.Header)
	if !has(m.Header, "Date") {
		m.Header["Date"] = []string{m.Received.UTC().Format(http.TimeFormat)} // RFC 9110 section 6.6.1
	}
	var name [bodyDigits / 2]byte
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

// Commit makes the entry appear, in place of an earlier one, whose body goes with it. Who reads that one has it open.
func (w *Writer) Commit() {
	if err := w.file.Close(); w.err == nil {
		w.err = err
	}
	w.meta.Size = w.size
	old, _ := readMeta(w.cache.path(w.meta.URI))
	if w.err == nil {
		w.err = w.cache.write(w.meta)
	}
	if w.err != nil {
		os.Remove(w.file.Name())
		return
	}
	if old.Body != "" {
		os.Remove(filepath.Join(w.cache.dir, old.Body))
	}
	w.cache.bound(w.size)
}

// Abort forgets what was written.
func (w *Writer) Abort() {
	w.file.Close()
	os.Remove(w.file.Name())
}
