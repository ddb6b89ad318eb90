package cache

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
)

// A Writer writes the body of a new entry.
type Writer struct {
	cache *Cache
	meta  Meta
	file  *os.File
	size  int64
	err   error
}

// New starts an entry. Commit adds it to the cache.
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
		w.err = io.ErrShortWrite // one document must not replace all others
	}
	if w.err == nil {
		_, w.err = w.file.Write(p)
		w.size += int64(len(p))
	}
	return len(p), nil
}

// Commit adds the entry. It replaces an earlier one.
func (w *Writer) Commit() {
	if err := w.file.Close(); w.err == nil {
		w.err = err
	}
	w.meta.Size = w.size
	old, replaces := readMeta(w.cache.path(w.meta.URI))
	if w.err == nil {
		w.err = w.cache.write(w.meta)
	}
	if w.err != nil {
		os.Remove(w.file.Name())
		return
	}
	if replaces {
		w.cache.removeBody(old)
	}
	w.cache.bound(w.size)
}

// Abort discards the entry.
func (w *Writer) Abort() {
	w.file.Close()
	os.Remove(w.file.Name())
}
