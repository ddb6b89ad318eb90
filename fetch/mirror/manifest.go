package mirror

import (
	"bufio"
	"bytes"
	"encoding/json"
	"hash/maphash"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/offsets"
)

// A manifest is the journal of Records, and two tables that find the last one of a URI or path. A record is written by one call, so
// that a process that is killed leaves it whole or out, but for the last one, whose beginning is dropped.
type manifest struct {
	root *os.Root // of the folder .deref
	seed maphash.Seed
	fold func(path string) string // makes paths equal that may be one

	mu     sync.Mutex
	file   *os.File
	size   int64
	grown  bool // records were added, or the journal was not compact when it was read
	uris   offsets.Table
	paths  offsets.Table
	broken error // of reading within a table
}

const (
	manifestName = "manifest.jsonl"
	maxRecord    = 256 << 10 // octets of a line
)

// openManifest reads the journal of the folder, after making it where it is missing.
func openManifest(root *os.Root, folds bool) (*manifest, error) {
	m := &manifest{root: root, seed: maphash.MakeSeed(), fold: func(path string) string { return path }}
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

// open admits no link: what it leads to is not ours.
func (m *manifest) open() (err error) {
	if fi, err := m.root.Lstat(manifestName); err == nil && !fi.Mode().IsRegular() {
		return fetch.Errorf(fetch.ErrLocal, "%s is no file", filepath.Join(m.root.Name(), manifestName))
	}
	if m.file, err = m.root.OpenFile(manifestName, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return nil
}

func (m *manifest) load() error {
	at, count := int64(0), int64(0)
	for line, err := range lines(m.file) {
		var r Record
		if err == nil {
			err = json.Unmarshal(line, &r)
		}
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%s: line %d is no record: %v", manifestName, count+1, err)
		}
		if err := m.note(&r, at); err != nil {
			return err
		}
		at += int64(len(line)) + 1
		count++
	}
	m.size, m.grown = at, count != m.uris.Len()
	if err := m.file.Truncate(at); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return nil
}

// lines yields the whole lines of a file without their ends. What follows the last line end is left out.
func lines(f io.ReaderAt) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), maxRecord)
		for {
			line, err := in.ReadSlice('\n')
			if err == io.EOF {
				return
			}
			if !yield(bytes.TrimSuffix(line, []byte("\n")), err) || err != nil {
				return
			}
		}
	}
}

// fold makes those paths equal that some file system holds for the same.
func fold(path string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(path))))
}

// byURI returns the last record of a URI, unless that says it is gone.
func (m *manifest) byURI(uri string) (Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, _, ok, err := m.find(uri)
	return r, ok && !r.Gone, err
}

func (m *manifest) find(uri string) (r Record, offset int64, ok bool, err error) {
	offset, ok, err = m.uris.Find(maphash.String(m.seed, uri), func(at int64) bool {
		r = m.at(at)
		return r.URI == uri
	})
	if !ok {
		r = Record{}
	}
	return r, offset, ok, m.trouble(err)
}

// byPath returns the record whose local copy has a path, or one that some file system takes for the same.
func (m *manifest) byPath(path string) (Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	want := m.fold(path)
	var r Record
	at, ok, err := m.paths.Find(maphash.String(m.seed, want), func(at int64) bool {
		r = m.at(at)
		return m.fold(r.Path) == want
	})
	if !ok || err != nil {
		return Record{}, false, m.trouble(err)
	}
	_, last, _, err := m.find(r.URI)
	return r, last == at && !r.Gone, err
}

// add notes a record.
func (m *manifest) add(r Record) error {
	line, err := r.line()
	if err != nil || len(line) > maxRecord {
		return fetch.Errorf(fetch.ErrLimit, "a record of %d octets is too long", len(line))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.file.WriteAt(line, m.size); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	at := m.size
	m.size += int64(len(line))
	m.grown = true
	return m.note(&r, at)
}

// note enters a record that stands at an offset.
func (m *manifest) note(r *Record, at int64) error {
	err := m.uris.Put(maphash.String(m.seed, r.URI), func(at int64) bool { o := m.at(at); return o.URI == r.URI }, at)
	if err == nil && r.Path != "" && !r.Gone {
		want := m.fold(r.Path)
		err = m.paths.Put(maphash.String(m.seed, want), func(at int64) bool { o := m.at(at); return m.fold(o.Path) == want }, at)
	}
	return m.trouble(err)
}

// at reads the record at an offset.
func (m *manifest) at(offset int64) (r Record) {
	line, err := bufio.NewReaderSize(io.NewSectionReader(m.file, offset, maxRecord), 1<<10).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		m.broken = err
	}
	return r
}

func (m *manifest) trouble(err error) error {
	if err == nil {
		err = m.broken
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%s: %w", manifestName, err)
	}
	return nil
}

// all yields the last record of each URI that is not gone, in the order in which they were added. Those that are added meanwhile may be
// left out.
func (m *manifest) all() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		m.mu.Lock()
		file, size := m.file, m.size
		m.mu.Unlock()
		at := int64(0)
		for line, err := range lines(io.NewSectionReader(file, 0, size)) {
			var r Record
			if err == nil {
				err = json.Unmarshal(line, &r)
			}
			last := int64(0)
			if err == nil {
				m.mu.Lock()
				_, last, _, err = m.find(r.URI)
				m.mu.Unlock()
			}
			if (err != nil || last == at && !r.Gone) && !yield(r, err) || err != nil {
				return
			}
			at += int64(len(line)) + 1
		}
	}
}

// isGrown reports whether there is anything that the last compact has not seen.
func (m *manifest) isGrown() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.grown
}

// compact leaves what all yields and keep wants, by a rename.
func (m *manifest) compact(keep func(*Record) bool) error {
	const temp = manifestName + ".new"
	m.root.Remove(temp) // of a process that was killed
	f, err := m.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	err = m.copyTo(f, keep)
	if err == nil {
		err = f.Sync() // what it replaces is the only other copy
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = m.root.Rename(temp, manifestName)
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return nil
}

func (m *manifest) copyTo(f *os.File, keep func(*Record) bool) error {
	out := bufio.NewWriterSize(f, 64<<10)
	for r, err := range m.all() {
		if err != nil {
			return err
		}
		if !keep(&r) {
			continue
		}
		line, err := r.line()
		if err != nil {
			return err
		}
		out.Write(line) // Flush tells
	}
	return out.Flush()
}

func (m *manifest) close() {
	m.uris.Close()
	m.paths.Close()
	if m.file != nil {
		m.file.Close()
	}
}
