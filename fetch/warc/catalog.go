package warc

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/save"
)

// A Catalog lists the complete records of archives, in order. The list is in an unnamed file, so that memory does not depend on its length.
// The archives must not change until Close.
type Catalog struct {
	Damage []Loss // what cannot be read, at most maxDamage
	Faults []Fault
	Count  int

	dir   string
	files []file
	list  spool
	out   *bufio.Writer
	enc   *json.Encoder
}

// A file is one of the archives.
type file struct {
	File
	size     int64
	end      int64  // of the last complete record
	form     string // see packer
	isARC    bool
	needsDic bool // its members cannot be read without the dictionary at its head
	why      error
}

// A Loss is a part of an archive that contains no complete record.
type Loss struct {
	Name     string // of the archive
	From, To int64
	Text     string // why
}

func (l Loss) String() string {
	return fmt.Sprintf("%s: bytes %d to %d (%d bytes) are lost: %s", l.Name, l.From, l.To, l.To-l.From, l.Text)
}

// A Fact describes a record.
type Fact struct {
	Type   string
	URI    string // that the record, or the document to which it belongs, is about
	Date   time.Time
	Status int    // of HTTP, else 0
	Media  string // of the document
	ID     string

	File, N                int
	Offset, Length, Within int64
	Head, Size             int64
	Repack                 bool `json:",omitempty"` // it shares a compressed member with others, or lacks its end
	Concurrent             []string
	Refers, RefersTo       string
	RefersDate             time.Time
	BlockDigest, Digest    string
	Certificates           string `json:",omitempty"` // the ID of the record with those of the server
}

// ReadCatalog reads archives once, from beginning to end. Temporary files are in dir; "" means the system's directory.
func ReadCatalog(dir string, files []File) (*Catalog, error) {
	c := &Catalog{dir: dir, list: spool{dir: dir}}
	c.out = bufio.NewWriter(&c.list)
	c.enc = json.NewEncoder(c.out)
	for _, f := range files {
		if err := c.read(f); err != nil {
			c.Close()
			return nil, err
		}
	}
	if err := c.out.Flush(); err != nil {
		c.Close()
		return nil, save.DiskError(err)
	}
	return c, nil
}

// Close frees the Catalog's resources.
func (c *Catalog) Close() { c.list.close() }

// read adds the records of an archive.
func (c *Catalog) read(named File) error {
	size, err := named.length()
	if err != nil {
		return err
	}
	c.files = append(c.files, file{File: named, size: size})
	at := &c.files[len(c.files)-1]
	before := c.Count
	err = named.walk(func(r *Reader) *walk {
		return &walk{
			visit: func(rec *Record) error {
				at.form, at.needsDic = r.in.form(), r.in.hasDict
				return c.visit(rec)
			},
			settle:  func(rec *Record) error { return c.settle(at, rec) },
			damaged: func(_ int64, err error) { at.why = cmp.Or(at.why, err) },
		}
	})
	if err == nil && c.Count == before {
		return fetch.Errorf(fetch.ErrProtocol, "%s contains no record", named.Name())
	}
	if at.why != nil {
		c.lose(at, at.size)
	}
	return err
}

// visit reads a record to its end.
func (c *Catalog) visit(r *Record) error {
	ok, err := verifyBlock(r)
	if err == nil && !ok && len(c.Faults) < maxDamage {
		c.Faults = append(c.Faults, Fault{r.Offset, r.ID(), "WARC-Block-Digest does not match the block"})
	}
	return err
}

// settle adds a complete record.
func (c *Catalog) settle(at *file, r *Record) error {
	if at.why != nil && r.Offset > at.end {
		c.lose(at, r.Offset)
	}
	at.why, at.end = nil, r.Offset+r.Length
	at.isARC = at.isARC || r.Version == versionARC
	f := factOf(r)
	f.File, f.N = len(c.files)-1, c.Count
	f.Repack = r.unended || at.form != formPlain && (r.Within > 0 || r.Length == 0)
	c.Count++
	return c.enc.Encode(&f)
}

// lose notes that nothing from the last complete record up to an offset can be read.
func (c *Catalog) lose(at *file, to int64) {
	if to > at.end && len(c.Damage) < maxDamage {
		c.Damage = append(c.Damage, Loss{at.Name(), at.end, to, damageText(at.why)})
	}
	at.end = to
}

func factOf(r *Record) Fact {
	f := Fact{Type: r.Type(), URI: r.about(), Date: r.Date(), Status: r.entry.status, Media: r.entry.media, ID: r.ID(), Offset: r.Offset, Length: r.Length,
		Within: r.Within, Head: r.head, Size: r.Size, Refers: r.Fields.Get("WARC-Refers-To"), RefersTo: unbracket(r.Fields.Get("WARC-Refers-To-Target-URI")),
		RefersDate: dateOf(r.Fields.Get("WARC-Refers-To-Date")), BlockDigest: r.Fields.Get("WARC-Block-Digest"),
		Digest: r.Fields.Get("WARC-Payload-Digest"), Certificates: r.Fields.Get(certificatesField)}
	if !strings.HasPrefix(r.MediaType(), "application/http") {
		f.Status, f.Media = 0, mediatype.Essence(r.MediaType())
	}
	for _, x := range r.Fields {
		if strings.EqualFold(x.Name, "WARC-Concurrent-To") {
			f.Concurrent = append(f.Concurrent, x.Value)
		}
	}
	return f
}

// each calls do for each record, with its place in the list.
func (c *Catalog) each(do func(f *Fact, at int64) error) error {
	in := json.NewDecoder(c.list.from(0))
	for {
		var f Fact
		at := in.InputOffset()
		err := in.Decode(&f)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(&f, at)
		}
		if err != nil {
			return err
		}
	}
}

// fact returns the record of the line at an offset in the list, which is a number of a table.
func (c *Catalog) fact(at string) (f Fact, err error) {
	n, err := strconv.ParseInt(at, 10, 64)
	if err == nil {
		err = json.NewDecoder(c.list.from(n)).Decode(&f)
	}
	return f, err
}
