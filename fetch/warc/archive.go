package warc

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/cdx"
	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/wacz"
)

// An Archive answers for the URIs that were captured. It is safe for concurrent use.
type Archive struct {
	files   []File
	indexes []*indexFile
	list    fetch.Registry
	find    func(*Record) (recordRef, bool) // finds what a revisit refers to; nil looks it up by URI
	bad     []Fault
	hashed  int64 // bytes of the WACZ packages whose hashes were compared

	mu     sync.Mutex // guards the following fields, and what reading a file sets
	unread []int32    // files that are not read yet
	failed error      // of reading one
}

// A recordRef locates a record about a URI. Until settle has completed it, it has only what an index contains, and what the Archive has found
// out when it read the file.
type recordRef struct {
	file           int32
	kind           byte // of record
	truncated      bool
	head           bool // a response to HEAD
	damaged        bool // it cannot be read
	plain          bool // the request accepted no content coding
	confirmed      bool // a revisit that says that nothing had changed
	status         int32
	offset, within int64
	settled        bool
	fault          error      // of a settled record but a dialogue: see verify
	dialogue       *recordRef // of the same capture; nil if it has none
	listing        *recordRef
	date           int64  // in microseconds
	digest         string // of the payload
	selection      string // the part of the object, see selectionOf
}

// Kinds of records in a recordRef.
const (
	refResponse = 'r'
	refResource = 'o'
	refRevisit  = 'v'
	refDialogue = 't' // a dialogue
)

// Notes of a cdx.Line.
const (
	noteTruncated = "t"
	noteDamaged   = "d"
	noteHead      = "h"
	notePlain     = "p"
)

// OpenArchive reads the files once from beginning to end and notes where their records are. It does not read an archive that has a CDXJ index
// next to it (see Options.Index) that is not older: such an index is searched for each URI. A file may be a WACZ package, which contains its
// index. The hashes of packages of up to 1 GiB in total are compared. The rules of the schemes in list decide which URIs are equal. A file that ends
// within a record is used up to there. Damage affects only the damaged record: see Damage.
//
// A long index of the other files is in an unnamed file in the system's directory for temporary files, until Close, so that memory does not depend
// on the number of records.
func OpenArchive(list []fetch.Scheme, names ...string) (*Archive, error) {
	a, err := OpenSparse(list, names...)
	if err != nil {
		return nil, err
	}
	if err := a.readAll(); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// OpenSparse is OpenArchive for a program that wants few documents: files without an index are read when a URI is first asked for, or the contents,
// and never for PickLine. Damage returns what that has found until then.
func OpenSparse(list []fetch.Scheme, names ...string) (*Archive, error) {
	a := &Archive{list: list}
	for _, name := range names {
		if err := a.addNamed(name); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Close removes the indexes that OpenArchive has written. The Archive cannot be used afterwards. The error is always nil.
func (a *Archive) Close() error {
	for _, x := range a.indexes {
		if x.lines != nil {
			x.lines.close()
		}
	}
	return nil
}

// maxHashed bounds the bytes that OpenArchive reads only to compare the hashes of WACZ packages, which takes a second for each GiB in memory.
const maxHashed = 1 << 30

// addNamed adds an archive, or those of a WACZ package, in which an index that was written by the same rules is used.
func (a *Archive) addNamed(name string) error {
	files, x, err := contained(name, func(f *os.File, p *wacz.Package) {
		a.hashed += verify(f, p, maxHashed-a.hashed, func(fault string) { a.addDamage(-1, name, fault) })
	})
	if err != nil {
		return err
	}
	if x != nil {
		x.archives = map[string]int32{}
		a.indexes = append(a.indexes, x)
	}
	for _, f := range files {
		n := int32(len(a.files))
		a.files = append(a.files, f)
		if x != nil {
			x.archives[f.Base] = n
			continue
		}
		a.unread = append(a.unread, n)
		in, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		in.Close()
	}
	return nil
}

// Damage returns the parts of the files that could not be read. The ID of a Fault is the name of the file. Its Offset is negative if it is about a
// file in a WACZ package as a whole: a record of that is used if its own digests match.
func (a *Archive) Damage() []Fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bad
}

// maxDamage bounds the result of Damage.
const maxDamage = 1000

func (a *Archive) addDamage(offset int64, name, text string) {
	if len(a.bad) < maxDamage {
		a.bad = append(a.bad, Fault{offset, name, text})
	}
}

// readAll reads the files that are not read yet, and makes an index of all of them.
func (a *Archive) readAll() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil || len(a.unread) == 0 {
		return a.failed
	}
	n := &notes{archive: a}
	defer n.Close()
	for _, file := range a.unread {
		if err := n.read(file); err != nil {
			a.failed = fmt.Errorf("%s: %w", a.files[file].Name(), err)
			return a.failed
		}
	}
	a.unread = nil
	a.failed = save.LocalError(a.addLines(&n.Sorter))
	return a.failed
}

// addLines adds an index whose lines have the number of a file in place of its name, since several files may have one name. It closes lines.
func (a *Archive) addLines(lines *spill.Sorter) error {
	defer lines.Close()
	x := &indexFile{lines: &spool{dir: lines.Dir}, archives: map[string]int32{}}
	for n := range a.files {
		x.archives[strconv.Itoa(n)] = int32(n)
	}
	a.indexes = append(a.indexes, x)
	return lines.Write(x.lines)
}

// notes are the index of the files that have none. It also has what is known of the records that are not complete.
type notes struct {
	spill.Sorter
	archive *Archive
	request requestFact
	last    *cdx.Line // of the record read last; nil if it has none
}

// read adds the records of a file.
func (n *notes) read(file int32) error {
	f := n.archive.files[file]
	n.request = requestFact{}
	var failed error // before the first record
	isEmpty := true
	err := f.walk(func(r *Reader) *walk {
		return &walk{
			visit: func(rec *Record) error {
				isEmpty = false
				if err := n.addLast(); err != nil {
					return err
				}
				return n.visit(rec, file)
			},
			damaged: func(at int64, err error) {
				switch {
				case isEmpty && (failed == nil || isFormat(err)):
					failed = err
				case !isFormat(err) && n.last != nil && !(r.apart && at > int64(n.last.Offset)): // else it is another record that was cut
					n.last.Notes += noteTruncated
				case isFormat(err) && n.last != nil && int64(n.last.Offset) == at:
					n.last.Notes += noteDamaged
				}
				if isFormat(err) {
					n.archive.addDamage(at, f.Name(), damageText(err))
				}
			},
		}
	})
	if isEmpty && failed != nil {
		return fetch.Errorf(fetch.ErrProtocol, "%w", failed)
	}
	return save.LocalError(cmp.Or(err, n.addLast()))
}

// visit notes a record.
func (n *notes) visit(r *Record, file int32) error {
	if r.Type() == Request {
		return n.addRequest(r)
	}
	if r.readEntry(r); r.isIndexed() {
		n.last = r.indexLine(strconv.Itoa(int(file)))
		if r.isConcurrentTo(n.request.id) {
			n.last.Notes = n.request.notes
		}
	}
	return nil
}

// addLast adds the line about the last record, of which nothing more is to be learned.
func (n *notes) addLast() (err error) {
	if n.last != nil {
		err = n.Add(n.last.String())
	}
	n.last = nil
	return err
}

// describe sets the fields of p that are in r itself. It returns false if r is not about the document of a URI.
func (a *Archive) describe(p *recordRef, r *Record) bool {
	switch r.Type() {
	case Response:
		p.kind = refResponse
	case Resource:
		p.kind = refResource
	case Revisit:
		p.kind = refRevisit
	case Metadata:
		p.kind = refDialogue
		if r.MediaType() != DialogueType {
			return false
		}
	default:
		return false
	}
	p.date, p.truncated, p.status = r.Date().UnixMicro(), p.truncated || r.isPartial(), 0
	if p.confirmed = r.isNotModified(); !p.confirmed { // else the status is that of the document
		p.status = int32(r.Status())
	}
	if p.digest = r.Fields.Get("WARC-Payload-Digest"); p.digest == "" && p.kind == refResource {
		p.digest = r.Fields.Get("WARC-Block-Digest")
	}
	return true
}

// isPartial reports whether the record contains only a part of the captured bytes: the rest was not stored, or is in records of another
// archive.
func (r *Record) isPartial() bool {
	return r.Fields.Get("WARC-Truncated") != "" || r.Fields.Get("WARC-Segment-Number") != ""
}
