package warc

import (
	"cmp"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
)

// CopyOptions control Catalog.Copy.
type CopyOptions struct {
	// Name is that of the copy. Its suffix chooses the compression; without one it is that of the first archive.
	Name string
	// Want reports whether a record, and with it its capture, is copied. nil means all records.
	Want func(*Fact) bool
	// Repeated also copies records whose ID an earlier record has.
	Repeated bool
	// Size starts another file once one has grown to this many bytes. 0 means one file.
	Size int64
	// Report is called for each record that is not copied as it should be, such as a revisit without its original. It may be nil.
	Report func(Fault)
}

// A Copied counts what Copy has written.
type Copied struct {
	Files, Records int
	Bytes          int64
	Repeated       int // records that are left out because an earlier one has the same ID
	Missing        int // revisits whose originals are in none of the archives
}

// Copy writes records into one or more archives, in their order. A capture is copied as a whole: the records that refer to each other as
// concurrent, the entries of its listing, and what a revisit refers to. Each archive's warcinfo record is copied, and repeated at the beginning of
// further files. A record that has its own compressed member, or is not compressed, is copied byte by byte if the copy has the same compression.
//
// create is called for each file, the Nth with N, and must call write.
func (c *Catalog) Copy(o *CopyOptions, create func(n int, write func(io.Writer) error) error) (done Copied, err error) {
	for _, f := range c.files {
		if f.isARC {
			return done, fetch.Errorf(fetch.ErrUnsupported, "%s is an ARC file, which can be read but not written", f.Name())
		}
	}
	k := &copier{c: c, o: o, pack: c.packerFor(o.Name), done: &done}
	defer k.close()
	if err := k.choose(); err != nil {
		return done, err
	}
	k.facts = json.NewDecoder(c.list.from(0))
	for more := true; more; {
		err := create(done.Files, func(w io.Writer) (err error) {
			done.Files++
			more, err = k.fill(&pieces.CountWriter{W: w})
			return err
		})
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

func (c *Catalog) packerFor(name string) *packer {
	name = strings.TrimSuffix(name, Unfinished)
	p := packerFor(name)
	if p.form == formPlain && !IsName(name) && len(c.files) > 0 {
		p.form = c.files[0].form
	}
	return p
}

// A copier copies the chosen records.
type copier struct {
	c     *Catalog
	o     *CopyOptions
	pack  *packer
	facts *json.Decoder // the rest of the catalog
	done  *Copied

	ids    *table // the records by ID
	wanted *table // the IDs of wanted records, and of those to which they belong; nil means all records

	source   Source
	sourceOf int
	info     *Fact // the warcinfo record of the current archive
	infoDue  bool  // it is not in the current file
	held     *Fact // the first record of the next file
}

func (k *copier) close() {
	for _, t := range []*table{k.ids, k.wanted} {
		if t != nil {
			t.close()
		}
	}
	if k.source != nil {
		k.source.Close()
	}
}

// fill writes one file. It reports whether there is another.
func (k *copier) fill(w *pieces.CountWriter) (more bool, err error) {
	k.infoDue = k.info != nil
	for {
		f := k.held
		if k.held = nil; f == nil {
			if f, err = k.chosen(); err != nil || f == nil {
				return false, err
			}
		}
		if k.o.Size > 0 && w.N >= k.o.Size {
			k.held = f
			return true, nil
		}
		if f.Type == Warcinfo {
			k.info, k.infoDue = f, true
			if k.o.Want != nil {
				continue // it is copied when a record follows
			}
		}
		if k.infoDue && k.info.File == f.File {
			if err := k.put(w, k.info); err != nil {
				return false, err
			}
			k.infoDue = false
		}
		if f.Type != Warcinfo {
			if err := k.put(w, f); err != nil {
				return false, err
			}
		}
	}
}

// chosen returns the next record to be copied, or nil.
func (k *copier) chosen() (*Fact, error) {
	for {
		f := &Fact{}
		if err := k.facts.Decode(f); err == io.EOF {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		if k.isRepeated(f) {
			k.done.Repeated++
			continue
		}
		if f.Type == Warcinfo || k.isWanted(f) {
			return f, nil
		}
	}
}

// isRepeated reports whether an earlier record has the ID of f.
func (k *copier) isRepeated(f *Fact) bool {
	if k.ids == nil || f.ID == "" {
		return false
	}
	at, ok := k.ids.latest(nameKey("id", f.ID), anything)
	first, err := k.c.fact(at)
	if !ok || err == nil && first.N == f.N {
		return false
	}
	if err != nil || first.Size != f.Size || first.BlockDigest != f.BlockDigest {
		k.report(f, "another record with this ID has different content; it is left out")
	}
	return true
}

func (k *copier) report(f *Fact, format string, args ...any) {
	if k.o.Report != nil {
		k.o.Report(Fault{f.Offset, cmp.Or(f.ID, k.c.files[f.File].Name()), fmt.Sprintf(format, args...)})
	}
}

// put writes a record.
func (k *copier) put(w *pieces.CountWriter, f *Fact) error {
	if k.source == nil || k.sourceOf != f.File {
		if k.source != nil {
			k.source.Close()
		}
		var err error
		if k.source, err = k.c.files[f.File].Open(); err != nil {
			return err
		}
		k.sourceOf = f.File
	}
	before := w.N
	copyRecord := k.repack
	if from := k.c.files[f.File]; from.form == k.pack.form && !from.needsDic && !f.Repack {
		copyRecord = k.verbatim
	}
	if err := copyRecord(w, f); err != nil {
		return err
	}
	k.done.Records++
	k.done.Bytes += w.N - before
	return nil
}

// verbatim copies the bytes of a record.
func (k *copier) verbatim(w *pieces.CountWriter, f *Fact) error {
	n, err := io.Copy(w, io.NewSectionReader(k.source, f.Offset, f.Length))
	if err == nil && n < f.Length {
		err = k.changed(f, io.ErrUnexpectedEOF)
	}
	return err
}

// repack writes a record into a compressed member of its own.
func (k *copier) repack(w *pieces.CountWriter, f *Fact) error {
	m, err := membersAt(k.source, f.Offset)
	if err != nil {
		return k.changed(f, err)
	}
	defer m.close()
	in, err := m.next()
	if err == nil {
		_, err = io.CopyN(io.Discard, in, f.Within)
	}
	if err != nil {
		return k.changed(f, err)
	}
	to := k.pack.member(w, &Record{Size: f.Size})
	n, err := io.Copy(to, io.LimitReader(in, f.Head+f.Size))
	if err == nil && n < f.Head+f.Size {
		err = k.changed(f, io.ErrUnexpectedEOF)
	}
	if err == nil {
		_, err = io.WriteString(to, "\r\n\r\n")
	}
	return cmp.Or(err, to.Close())
}

func (k *copier) changed(f *Fact, err error) error {
	return fetch.Errorf(fetch.ErrLocal, "%s has changed meanwhile: the record at byte %d: %w", k.c.files[f.File].Name(), f.Offset, err)
}

// nameKey returns the key of a table of several kinds of names.
func nameKey(kind, name string) [sha1.Size]byte { return sha1.Sum([]byte(kind + " " + name)) }

func anything(string) bool { return true }
