package mirror

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/save"
)

// A manifest is the journal of Records, with two tables that find the last one of a URI or path. Each record is written by one call, so a
// killed process leaves it complete or absent, except the last one, whose beginning is dropped.
type manifest struct {
	root *os.Root                 // the directory .deref
	fold func(path string) string // maps paths that may be one file to the same string

	mu     sync.Mutex
	file   *os.File
	size   int64
	grown  bool // records were added, or the journal was not compact when read
	uris   spill.Table
	paths  spill.Table
	broken error         // an error of reading within a table
	kinds  map[Kind]bool // that records have, also earlier ones

	recent recent[int64, Record] // by offset: a record is looked up when its successor is added, and by each link to its document
}

const (
	manifestName = "manifest.jsonl"
	maxRecord    = 256 << 10 // bytes in a line
)

// openManifest reads the journal in root and creates it if it does not exist.
func openManifest(root *os.Root, folds bool) (*manifest, error) {
	m := &manifest{root: root, fold: func(path string) string { return path }, kinds: map[Kind]bool{}}
	if folds {
		m.fold = fold
	}
	m.uris.Dir = root.Name()
	m.paths.Dir = root.Name()
	err := m.open()
	if err == nil {
		err = m.load()
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// open refuses links: their targets are outside the mirror.
func (m *manifest) open() (err error) {
	if fi, err := m.root.Lstat(manifestName); err == nil && !fi.Mode().IsRegular() {
		return fetch.Errorf(fetch.ErrLocal, "%s is not a file", filepath.Join(m.root.Name(), manifestName))
	}
	if m.file, err = m.root.OpenFile(manifestName, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return save.LocalError(err)
	}
	return nil
}

func (m *manifest) load() error {
	count := int64(0)
	size, err := spill.EachLine(m.file, maxRecord, func(line []byte, at int64) error {
		count++
		r, err := parseRecord(line)
		if err != nil {
			return err
		}
		return m.note(&r, at)
	})
	if err != nil && fetch.KindOf(err) == "" {
		err = fetch.Errorf(fetch.ErrLocal, "%s: line %d is not a record: %v", manifestName, count, err)
	}
	if err != nil {
		return err
	}
	m.size, m.grown = size, count != m.uris.Len()
	if err := m.file.Truncate(m.size); err != nil {
		return diskError(err)
	}
	return nil
}

// fold returns the same string for paths that some file system considers equal.
func fold(path string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(path))))
}

// byURI returns the last record of a URI, unless it is gone.
func (m *manifest) byURI(uri string) (Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, _, ok, err := m.find(uri)
	return r, ok && !r.Gone, err
}

func (m *manifest) find(uri string) (r Record, offset int64, ok bool, err error) {
	offset, ok, err = m.uris.Find(uri, func(at int64) bool {
		r = m.at(at)
		return r.URI == uri
	})
	if !ok {
		r = Record{}
	}
	return r, offset, ok, m.trouble(err)
}

// isLast reports whether the record of a URI at an offset is the last one. It reads no record.
func (m *manifest) isLast(uri string, offset int64) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok, err := m.uris.Find(uri, func(at int64) bool { return at == offset })
	return ok, m.trouble(err)
}

// byPath returns the record whose local copy has this path, or one that some file system considers equal.
func (m *manifest) byPath(path string) (Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	want := m.fold(path)
	var r Record
	at, ok, err := m.paths.Find(want, func(at int64) bool {
		r = m.at(at)
		return m.fold(r.Path) == want
	})
	if !ok || err != nil {
		return Record{}, false, m.trouble(err)
	}
	_, last, _, err := m.find(r.URI)
	return r, last == at && !r.Gone, err
}

// add appends a record.
func (m *manifest) add(r Record) error {
	line, err := r.line()
	if err != nil || len(line) > maxRecord {
		return fetch.Errorf(fetch.ErrLimit, "record of %d bytes is too long", len(line))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.file.WriteAt(line, m.size); err != nil {
		return diskError(err)
	}
	at := m.size
	m.size += int64(len(line))
	m.grown = true
	m.recent.put(at, r, len(line))
	return m.note(&r, at)
}

// note enters the record at an offset into the tables.
func (m *manifest) note(r *Record, at int64) error {
	if m.kinds[r.Kind] = true; r.isPage() {
		m.kinds[Page] = true
	}
	err := m.uris.Put(r.URI, func(at int64) bool { o := m.at(at); return o.URI == r.URI }, at)
	if err == nil && r.Path != "" && !r.Gone {
		want := m.fold(r.Path)
		err = m.paths.Put(want, func(at int64) bool { o := m.at(at); return m.fold(o.Path) == want }, at)
	}
	return m.trouble(err)
}

// at reads the record at an offset.
func (m *manifest) at(offset int64) (r Record) {
	if r, ok := m.recent.get(offset); ok {
		return r
	}
	line, err := spill.LineAt(m.file, offset, maxRecord)
	if err == nil {
		r, err = parseRecord(line)
	}
	if err != nil {
		m.broken = err
		return r
	}
	m.recent.put(offset, r, len(line))
	return r
}

func (m *manifest) trouble(err error) error {
	if err = cmp.Or(err, m.broken); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%s: %w", manifestName, err)
	}
	return nil
}

func (m *manifest) close() {
	m.uris.Close()
	m.paths.Close()
	if m.file != nil {
		m.file.Close()
	}
}
