package warc

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Fault is a violation found by Check.
type Fault struct {
	Offset int64
	ID     string // of the record; "" if it cannot be read
	Text   string
}

func (f Fault) String() string {
	if f.ID == "" {
		return fmt.Sprintf("byte %d: %s", f.Offset, f.Text)
	}
	return fmt.Sprintf("byte %d: %s: %s", f.Offset, f.ID, f.Text)
}

// A Tally counts the records that Check has read.
type Tally struct {
	Records int
	Types   map[string]int
	Bytes   int64 // bytes of the blocks
	Faults  int
}

// maxIDs bounds the record IDs that are compared with each other, and maxID the length of each.
const (
	maxIDs = 1 << 20
	maxID  = 256
)

// Check reads an archive to its end and reports violations of ISO 28500:2017: missing and malformed fields, wrong digests, records that are
// not separated, an end within a record. The error is one of reading r.
func Check(in io.Reader, report func(Fault)) (Tally, error) {
	r := NewReader(in)
	defer r.Close()
	c := &checker{r: r, report: report, tally: Tally{Types: map[string]int{}}, ids: map[string]bool{}}
	err := r.walk(&walk{
		visit: func(rec *Record) error {
			c.rec = rec
			c.check()
			return nil
		},
		settle: func(*Record) error {
			c.separated()
			return nil
		},
		damaged: func(at int64, err error) { c.add(Fault{at, "", damageText(err)}) },
	})
	return c.tally, err
}

type checker struct {
	r      *Reader
	rec    *Record
	report func(Fault)
	tally  Tally
	ids    map[string]bool
}

func (c *checker) add(f Fault) {
	c.tally.Faults++
	c.report(f)
}

// fault adds a fault of the record.
func (c *checker) fault(format string, args ...any) {
	c.add(Fault{c.rec.Offset, c.rec.ID(), fmt.Sprintf(format, args...)})
}

// separated checks that a record ends in two line ends.
func (c *checker) separated() {
	if c.rec.Version != versionARC && c.r.ends != 2 {
		c.fault("%d line ends follow the block, not 2", c.r.ends)
	}
}

func (c *checker) check() {
	r := c.rec
	c.tally.Records++
	c.tally.Types[r.Type()]++
	c.tally.Bytes += r.Size
	if r.Version == versionARC { // ARC has neither IDs nor digests
		c.block()
		return
	}
	if r.Version != "1.0" && r.Version != "1.1" {
		c.fault("version %.20q", r.Version)
	}
	if !c.r.in.plain && r.Within > 0 {
		c.fault("the record does not begin a compressed member of its own")
	}
	c.fields()
	c.identity()
	c.block()
}

// fields checks the required fields of each type (sections 5 and 6).
func (c *checker) fields() {
	r := c.rec
	if r.Date().IsZero() || r.Version == "1.0" && !isWhole(r.Fields.Get("WARC-Date")) {
		c.fault("WARC-Date %.40q", r.Fields.Get("WARC-Date"))
	}
	target := r.Fields.Get("WARC-Target-URI")
	switch r.Type() {
	case Response, Request, Resource, Revisit, Conversion, "continuation":
		if target == "" {
			c.fault("no WARC-Target-URI")
		}
	case Warcinfo:
		if target != "" {
			c.fault("a warcinfo record with WARC-Target-URI")
		}
	case "":
		c.fault("no WARC-Type")
	}
	if r.Version == "1.1" && strings.ContainsAny(target, "<> \t") {
		c.fault("WARC-Target-URI %.100q", target)
	}
	if r.Type() == Revisit && r.Fields.Get("WARC-Profile") == "" {
		c.fault("a revisit record without WARC-Profile")
	}
	if why := r.Fields.Get("WARC-Truncated"); why != "" && !slices.Contains([]string{"length", "time", "disconnect", "unspecified"}, why) {
		c.fault("WARC-Truncated %.40q", why)
	}
}

// identity checks that IDs are URIs in angle brackets and unique.
func (c *checker) identity() {
	for _, f := range c.rec.Fields {
		switch strings.ToLower(f.Name) {
		case "warc-record-id", "warc-concurrent-to", "warc-refers-to", "warc-warcinfo-id":
			if !strings.HasPrefix(f.Value, "<") || !strings.HasSuffix(f.Value, ">") || !strings.Contains(f.Value, ":") {
				c.fault("%s %.80q", f.Name, f.Value)
			}
		}
	}
	id := c.rec.ID()
	switch {
	case id == "":
		c.fault("no WARC-Record-ID")
	case c.ids[id]:
		c.fault("another record has the same WARC-Record-ID")
	case len(id) <= maxID && len(c.ids) < maxIDs:
		c.ids[id] = true
	}
}

func (c *checker) block() {
	faults, err := digests(c.rec)
	if err != nil && (err != io.ErrUnexpectedEOF || !c.rec.Short) && !isFormat(err) { // else reading the next record reports it
		c.fault("the block: %v", err)
	}
	for _, f := range faults {
		c.fault("%s", f)
	}
}
