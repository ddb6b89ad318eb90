package warc

import (
	"fmt"
	"os"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/wacz"
)

// An Archive answers for the URIs that were captured. It is safe for concurrent use.
type Archive struct {
	files   []File
	indexes []*indexFile
	list    fetch.Registry
	find    func(*Record) (recordRef, bool) // finds what a revisit refers to; nil looks it up by URI
	at      map[string][]recordRef          // by key
	request requestFact
	bad     []Fault
	sorting sync.Once
	sorted  []string   // the keys of at
	last    *recordRef // of the record read last; nil if it has none
	reading int32      // the file that is being read
	long    int64      // the size from which a file without an index gets one
	held    int64      // bytes of the notes
	hashed  int64      // bytes of the WACZ packages whose hashes were compared

	waits  bool       // files without an index are read when a URI is asked for
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
	refListing  = 'l' // entries of a listing
)

// maxNotes bounds the memory for notes of records. noteSize is what a note takes besides its texts.
const (
	maxNotes = 4 << 30
	noteSize = 200
)

// longArchive is the size from which an index takes the place of notes in memory.
const longArchive = 16 << 20

// OpenArchive reads the files once from beginning to end and notes where their records are. It does not read an archive that has a CDXJ index
// next to it (see Options.Index) that is not older: such an index is searched for each URI. A file may be a WACZ package, which contains its
// index. The hashes of packages of up to 1 GiB in total are compared. The rules of the schemes in list decide which URIs are equal. A file that ends
// within a record is used up to there. Damage affects only the damaged record: see Damage.
//
// An index of each file of more than 16 MiB without one is written into an unnamed file in the system's directory for temporary files, until
// Close, so that memory does not depend on the number of records. A damaged file is noted in memory, whatever its size, and so is one for
// whose index there is no room.
func OpenArchive(list []fetch.Scheme, names ...string) (*Archive, error) {
	return openAll(&Archive{list: list, at: map[string][]recordRef{}, long: longArchive}, names)
}

// OpenSparse is OpenArchive for a program that wants few documents: files without an index are read when a URI is first asked for, or the contents,
// and never for PickLine. Damage returns what that has found until then.
func OpenSparse(list []fetch.Scheme, names ...string) (*Archive, error) {
	return openAll(&Archive{list: list, at: map[string][]recordRef{}, long: longArchive, waits: true}, names)
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

func openAll(a *Archive, names []string) (*Archive, error) {
	for _, name := range names {
		if err := a.addNamed(name); err != nil {
			a.Close()
			return nil, err
		}
	}
	return a, nil
}

// maxHashed bounds the bytes that OpenArchive reads only to compare the hashes of WACZ packages, which takes a second for each GiB in memory.
const maxHashed = 1 << 30

// addNamed adds an archive, or those of a WACZ package, in which an index that was written by the same rules is used.
func (a *Archive) addNamed(name string) error {
	files, x, err := contained(name, func(f *os.File, p *wacz.Package) {
		a.hashed += verify(f, p, maxHashed-a.hashed, func(fault string) { a.addDamage(-1, name, fault) })
	})
	if x != nil {
		a.addIndexed(x, files)
	}
	if x != nil || err != nil {
		return err
	}
	for _, f := range files {
		if err := a.addFile(f); err != nil {
			return err
		}
	}
	return nil
}

// addIndexed adds files that an index describes.
func (a *Archive) addIndexed(x *indexFile, files []File) {
	x.archives = map[string]int32{}
	for _, f := range files {
		x.archives[f.Base] = int32(len(a.files))
		a.files = append(a.files, f)
	}
	a.indexes = append(a.indexes, x)
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

// addFile adds a file by its index, or by reading it.
func (a *Archive) addFile(f File) error {
	if x := openIndex(f); x != nil {
		a.addIndexed(x, []File{f})
		return nil
	}
	n := int32(len(a.files))
	a.files = append(a.files, f)
	if !a.waits {
		return a.readOrIndex(n)
	}
	a.unread = append(a.unread, n)
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return in.Close()
}

// readOrIndex reads a file without an index. A long one gets one.
func (a *Archive) readOrIndex(file int32) error {
	f := a.files[file]
	if x := a.indexLong(f); x != nil {
		x.archives = map[string]int32{f.Base: file}
		a.indexes = append(a.indexes, x)
		return nil
	}
	if err := a.readFile(file); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}

// readAll reads the files that are not read yet.
func (a *Archive) readAll() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for ; a.failed == nil && len(a.unread) > 0; a.unread = a.unread[1:] {
		a.failed = a.readOrIndex(a.unread[0])
	}
	return a.failed
}

// indexLong returns an index of a long file. It returns nil if the file is short, or damaged, because only notes have the records next to damage, and
// if there is no room for the index.
func (a *Archive) indexLong(f File) *indexFile {
	if size, err := f.length(); err != nil || size < a.long {
		return nil
	}
	lines, damaged := &spool{}, false
	if err := WriteIndex(lines, "", []File{f}, func(Fault) { damaged = true }); err != nil || damaged || lines.size == 0 {
		lines.close()
		return nil
	}
	return &indexFile{file: f, lines: lines}
}

// readFile notes the records of a file.
func (a *Archive) readFile(file int32) error {
	named := a.files[file]
	f, err := named.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	a.reading, a.last, a.request = file, nil, requestFact{}
	r := NewReader(f)
	defer r.Close()
	var failed error // before the first record
	isEmpty := true
	err = r.walk(&walk{
		visit: func(rec *Record) error {
			isEmpty, a.last = false, nil
			return a.addRecord(rec)
		},
		damaged: func(at int64, err error) {
			switch {
			case isEmpty && (failed == nil || isFormat(err)):
				failed = err
			case !isFormat(err) && a.last != nil && !(r.apart && at > a.last.offset): // else it is another record that was cut
				a.last.truncated = true
			case isFormat(err) && a.last != nil && a.last.offset == at:
				a.last.damaged = true
			}
			if isFormat(err) {
				a.addDamage(at, named.Name(), damageText(err))
			}
		},
	})
	if isEmpty && failed != nil {
		return fetch.Errorf(fetch.ErrProtocol, "%w", failed)
	}
	return err
}

// addRecord notes where a record about a URI is.
func (a *Archive) addRecord(r *Record) error {
	if r.Type() == Request {
		return a.addRequest(r)
	}
	p := recordRef{file: a.reading, offset: r.Offset, within: r.Within}
	if !a.describe(&p, r) || p.kind == refListing || p.kind == refDialogue && !r.isFailure() {
		return nil
	}
	k := a.key(r.about())
	if p.kind == refResponse && r.isConcurrentTo(a.request.id) {
		p.head, p.plain = a.request.head, a.request.plain
	}
	if a.held += noteSize + int64(len(k)+len(p.digest)); a.held > maxNotes {
		return fetch.Errorf(fetch.ErrLimit, "the notes of its records take more than %d bytes of memory", int64(maxNotes))
	}
	a.at[k] = append(a.at[k], p)
	a.last = &a.at[k][len(a.at[k])-1]
	return nil
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
	case Conversion:
		p.kind = refListing
		if r.MediaType() != fetch.ListingType {
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
