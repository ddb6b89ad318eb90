package warc

import (
	"cmp"
	"crypto/sha1"
	"encoding/base32"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/cdx"
	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// Known are the documents of earlier archives. A Writer with Options.Known writes a revisit record for a document that one of them has, and
// Schemes requests documents on the condition that they have changed. Its memory is constant: what it knows is in unnamed files.
type Known struct {
	archive  *Archive // of the files; it answers for records that are found here
	byDigest *table
	lines    spill.Sorter     // of the index of the archive
	numbers  map[string]int32 // of the files, by name; does not change after OpenKnown
	same     sync.Map         // *fetch.Plan to recordRef: the requests whose documents have not changed
}

// OpenKnown reads indexes (.cdxj, and .cdx as wget writes them) and archives. An archive that has a usable index next to it is not read. The
// files that it creates are in dir. The rules of the schemes in list decide which URIs are equal. The archives must not change until Close.
func OpenKnown(list []fetch.Scheme, dir string, names ...string) (*Known, error) {
	k := &Known{archive: &Archive{list: list}, byDigest: newTable(dir), lines: spill.Sorter{Dir: dir}, numbers: map[string]int32{}}
	k.archive.find = k.original
	for _, name := range names {
		if err := k.addNamed(name); err != nil {
			k.Close()
			return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", name, err)
		}
	}
	if err := cmp.Or(k.byDigest.build(), k.archive.addLines(&k.lines)); err != nil {
		k.Close()
		return nil, save.DiskError(err)
	}
	return k, nil
}

// addNamed adds an index, an archive, or a WACZ package.
func (k *Known) addNamed(name string) error {
	if isIndexName(name) {
		return k.addIndex(&indexFile{file: File{Path: name}}, nil)
	}
	files, x, err := contained(name, nil)
	if x != nil {
		return k.addIndex(x, files)
	}
	for _, f := range files {
		if err := k.addArchive(f); err != nil {
			return err
		}
	}
	return err
}

func isIndexName(name string) bool {
	return strings.HasSuffix(name, ".cdxj") || strings.HasSuffix(name, ".cdx")
}

// Close frees the resources of k.
func (k *Known) Close() {
	k.byDigest.close()
	k.lines.Close()
	k.archive.Close()
}

// file returns the number of an archive.
func (k *Known) file(f File) int32 {
	n, ok := k.numbers[f.Name()]
	if !ok {
		n = int32(len(k.archive.files))
		k.archive.files = append(k.archive.files, f)
		k.numbers[f.Name()] = n
	}
	return n
}

// addArchive reads an archive.
func (k *Known) addArchive(f File) error {
	n := k.file(f)
	return f.walk(func(*Reader) *walk {
		return &walk{settle: func(rec *Record) error {
			if !rec.isIndexed() || rec.isPartial() {
				return nil
			}
			return k.add(rec.indexLine(f.Base), n)
		}}
	})
}

// addIndex reads an index. files are the archives that it is known to be of.
func (k *Known) addIndex(x *indexFile, files []File) error {
	var columns cdx.Columns
	var failed error
	err := x.each("", func(line string) bool {
		if cols, ok := cdx.ParseHeader(line); ok {
			columns = cols
		}
		if e, ok := columns.Parse(line); ok {
			failed = k.add(&e, k.file(fileOf(&e, x.file, files)))
		}
		return failed == nil
	})
	return cmp.Or(err, failed)
}

// fileOf returns the archive of an entry: one of files, or else in the directory of the index.
func fileOf(e *cdx.Line, index File, files []File) File {
	base := filepath.Base(e.Filename)
	for _, f := range files {
		if f.Base == base {
			return f
		}
	}
	return File{Path: filepath.Join(filepath.Dir(index.Path), base), Base: base}
}

// add adds a record of a file. A revisit is not known by its digest, because another record has the payload.
func (k *Known) add(e *cdx.Line, file int32) error {
	e.Key, e.Filename = cdx.Key(e.URL), strconv.Itoa(int(file))
	line := e.String()
	if sum, ok := parseSHA1(e.Digest); ok && e.Mime != revisitMime {
		if err := k.byDigest.add(sum, e.Date.UnixMicro(), line); err != nil {
			return err
		}
	}
	return k.lines.Add(line)
}

// parseSHA1 parses a digest of an index or a record: in base 32 or 16, with or without "sha1:".
func parseSHA1(s string) (sum [sha1.Size]byte, ok bool) {
	if name, digits, labelled := strings.Cut(s, ":"); labelled {
		if !strings.EqualFold(name, "sha1") {
			return sum, false
		}
		s = digits
	}
	b, err := base32.StdEncoding.DecodeString(strings.ToUpper(s))
	if len(s) == hex.EncodedLen(sha1.Size) {
		b, err = hex.DecodeString(s)
	}
	if err != nil || len(b) != sha1.Size {
		return sum, false
	}
	return [sha1.Size]byte(b), true
}

// copyOf returns the record that has a payload, and is intact. If its archive is not there, the index describes it.
func (k *Known) copyOf(sum [sha1.Size]byte, inHTTP bool) (found Original, ok bool) {
	if k == nil {
		return found, false
	}
	_, ok = k.byDigest.latest(sum, func(at string) (ok bool) {
		p, e, err := k.locate(at)
		if err != nil {
			scheme, _ := Origin(e.URL)
			found = Original{Target: e.URL, Date: e.Date.UTC().Format("2006-01-02T15:04:05Z")}
			return e.URL != "" && (inHTTP || !strings.HasPrefix(scheme, "http"))
		}
		found, ok = k.describe(p, sum, inHTTP)
		return ok && k.archive.verify(p) == nil
	})
	return found, ok
}

// describe returns the record at p, if it has the payload and is complete.
func (k *Known) describe(p recordRef, sum [sha1.Size]byte, inHTTP bool) (o Original, ok bool) {
	r, err := k.archive.open(p)
	if err != nil {
		return o, false
	}
	defer r.Close()
	o = r.identity()
	got, ok := parseSHA1(o.Digest)
	return o, ok && got == sum && !r.isPartial() && (inHTTP || !o.HTTP)
}

// locate parses a line that add has written. The error means that the archive of the record is not there.
func (k *Known) locate(line string) (p recordRef, e cdx.Line, err error) {
	e, _ = cdx.Parse(line)
	n, _ := strconv.Atoi(e.Filename)
	p = refTo(&e, int32(n))
	_, err = os.Stat(k.archive.files[n].Path)
	return p, e, err
}

// latest returns the latest complete capture of a whole document that is in an archive and intact.
func (k *Known) latest(u uri.URI) (p recordRef, ok bool) {
	key := k.archive.key(target(u))
	all, err := k.archive.candidates(u, time.Time{})
	if err != nil {
		return p, false
	}
	for _, p = range all {
		p, err = k.archive.settle(p, key)
		if err == nil && p.rank() == 3 && p.selection == "" && (p.status == 0 || p.status == 200) {
			return p, k.archive.verify(p) == nil
		}
	}
	return p, false
}

// original finds the record that has the payload of a revisit.
func (k *Known) original(r *Record) (p recordRef, ok bool) {
	sum, ok := parseSHA1(r.Fields.Get("WARC-Payload-Digest"))
	if !ok {
		return p, false
	}
	_, ok = k.byDigest.latest(sum, func(at string) (ok bool) {
		var err error
		if p, _, err = k.locate(at); err == nil {
			_, ok = k.describe(p, sum, true)
		}
		return ok
	})
	return p, ok
}

// describeRef returns the record at p as the one that a revisit refers to, with the original if p is a revisit itself.
func (k *Known) describeRef(p recordRef) (o Original) {
	r, err := k.archive.open(p)
	if err != nil {
		return o
	}
	defer r.Close()
	if p.kind == refRevisit {
		if first, ok := k.original(r.Record); ok && first != p {
			first.kind = refResponse
			return k.describeRef(first)
		}
	}
	return r.identity()
}
