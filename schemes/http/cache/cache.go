// Package cache stores HTTP responses in a directory, as the private cache of one user: RFC 9111, and stale-if-error of RFC 5861. Several
// processes may use one directory: entries are created and replaced by renaming, and a reader of an entry keeps the file that it has
// opened.
//
// One response is stored for each URI. Documents, redirects and the errors that are heuristically cacheable are stored; parts, other errors
// and Set-Cookie are not. testdata/caching.txt of schemes/http lists the cases.
//
// No maintained library for this was available.
package cache

import (
	"cmp"
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

// DefaultSize is the maximum size of a cache that is opened without one.
const DefaultSize = 256 << 20

// maxMeta bounds the metadata of an entry.
const maxMeta = 2 << 20

// A Cache is a directory of responses. It is safe for concurrent use.
type Cache struct {
	dir string
	max int64

	mu    sync.Mutex
	size  int64 // total bytes when they were last counted; -1 before
	grown int64 // bytes that this process has added since
}

// Open creates the directory if it does not exist. Files in it that do not belong to the cache are ignored. max is its maximum size in
// bytes, which each of several processes may exceed by an eighth; 0 means DefaultSize.
func Open(dir string, max int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if max <= 0 {
		max = DefaultSize
	}
	return &Cache{dir: dir, max: max, size: -1}, nil
}

// Meta describes a response.
type Meta struct {
	URI       string
	Status    int
	Reason    string
	Header    map[string][]string
	Vary      map[string]string // the request's values of the fields that Vary names
	Requested time.Time
	Received  time.Time
	Body      string // the name of the file with the body
	Size      int64
}

// An Entry is a stored response. Its body is open until Close.
type Entry struct {
	Meta
	file *os.File
	left int64 // bytes of the body to read
}

func (c *Cache) path(uri string) string {
	sum := sha256.Sum256([]byte(uri))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:])+metaSuffix)
}

// Names of the cache's files: 64 digits of the URI's hash, 32 random digits, and the prefix of a file that is not complete yet.
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

// Get returns the stored response for uri and a request with the given fields. It returns nil if there is none.
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
	os.Chtimes(c.path(uri), now, now) // the least recently used entries are removed first
	return e
}

// readMeta reads the metadata of an entry. It returns false if it is invalid.
func readMeta(path string) (m Meta, ok bool) {
	f, err := openFile(path)
	if err != nil {
		return m, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMeta))
	return m, err == nil && json.Unmarshal(b, &m) == nil && isBody(m.Body) && m.Header != nil
}

// openFile opens a file of the cache. It refuses a pipe in its place, which would block, and a link, which could refer to any file.
func openFile(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	return os.Open(path)
}

// Read reads the stored body. A file that was shortened in the meantime is io.ErrUnexpectedEOF.
func (e *Entry) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n, err := e.file.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Cut limits Read to [from,to) of the body.
func (e *Entry) Cut(from, to int64) error {
	_, err := e.file.Seek(from, io.SeekStart)
	e.left = to - from
	return err
}

// Close closes the body.
func (e *Entry) Close() error { return e.file.Close() }

// Freshen replaces stored fields by those of a 304 or of the response to HEAD. RFC 9111 sections 3.2 and 4.3.5.
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
		delete(e.Header, "Age") // with the Age of the earlier response, the confirmed one would remain stale
	}
	if !has(header, "Date") {
		e.Header["Date"] = []string{received.UTC().Format(http.TimeFormat)}
	}
	e.Requested, e.Received = requested, received
	return c.write(e.Meta)
}

// Forget removes the entry for uri.
func (c *Cache) Forget(uri string) {
	m, ok := readMeta(c.path(uri))
	if os.Remove(c.path(uri)); ok {
		c.removeBody(m)
	}
}

// removeBody removes the body of an entry that is gone. Readers have it open.
func (c *Cache) removeBody(m Meta) { os.Remove(filepath.Join(c.dir, m.Body)) }

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
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), c.path(m.URI))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
