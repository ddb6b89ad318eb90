package warc

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// A Fault is what Check finds wrong.
type Fault struct {
	Offset int64
	ID     string // of the record, "" where it cannot be read
	Text   string
}

func (f Fault) String() string {
	if f.ID == "" {
		return fmt.Sprintf("octet %d: %s", f.Offset, f.Text)
	}
	return fmt.Sprintf("octet %d: %s: %s", f.Offset, f.ID, f.Text)
}

// A Tally counts what Check has read.
type Tally struct {
	Records int
	Types   map[string]int
	Octets  int64 // of blocks
	Faults  int
}

// maxIDs bounds the record IDs that are compared with each other.
const maxIDs = 1 << 20

// Check reads an archive to its end and reports what ISO 28500:2017 does not allow: missing and malformed fields, digests that are
// not those of the octets, records that are not separated, an end within a record. The error is one of reading r.
func Check(r io.Reader, report func(Fault)) (Tally, error) {
	c := &checker{r: NewReader(r), report: report, tally: Tally{Types: map[string]int{}}, ids: map[string]bool{}}
	defer c.r.Close()
	for {
		rec, err := c.r.Next()
		c.separated(err)
		switch _, broken := err.(*FormatError); {
		case err == io.EOF:
			return c.tally, nil
		case err == io.ErrUnexpectedEOF:
			c.fault("the archive ends within a record")
			return c.tally, nil
		case broken:
			c.rec = nil
			c.fault("%v", err)
			continue
		case err != nil:
			return c.tally, err
		}
		c.rec = rec
		c.check()
	}
}

type checker struct {
	r      *Reader
	rec    *Record
	report func(Fault)
	tally  Tally
	ids    map[string]bool
}

func (c *checker) fault(format string, args ...any) {
	f := Fault{Text: fmt.Sprintf(format, args...), Offset: c.r.in.start}
	if c.rec != nil {
		f.Offset, f.ID = c.rec.Offset, c.rec.ID()
	}
	c.tally.Faults++
	c.report(f)
}

// separated: a record is its header, its block and two line ends.
func (c *checker) separated(err error) {
	if c.rec != nil && c.rec.Version != versionARC && (err == nil || err == io.EOF) && c.r.ends != 2 {
		c.fault("%d line ends follow the block, not 2", c.r.ends)
	}
}

func (c *checker) check() {
	r := c.rec
	c.tally.Records++
	c.tally.Types[r.Type()]++
	c.tally.Octets += r.Size
	if r.Version == versionARC { // which has neither IDs nor digests
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

// fields checks those that each type must have (sections 5 and 6).
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

// identity: IDs are URIs in angle brackets, and each record has its own.
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
	case len(c.ids) < maxIDs:
		c.ids[id] = true
	}
}

func (c *checker) block() {
	faults, err := digests(c.rec)
	if err != nil && (err != io.ErrUnexpectedEOF || !c.rec.Short) && !isFormat(err) { // else the next record tells
		c.fault("the block: %v", err)
	}
	for _, f := range faults {
		c.fault("%s", f)
	}
}

// digests reads the block of r to its end and compares the digests. Of a message in a transfer coding tools differ in what its payload
// is: with it, or without.
func digests(r *Record) (faults []string, err error) {
	block, payload := newSum(r.Fields.Get("WARC-Block-Digest")), newSum(r.Fields.Get("WARC-Payload-Digest"))
	if r.Type() == Revisit || r.Fields.Get("WARC-Segment-Number") != "" {
		payload = nil // of what it refers to
	}
	if payload == nil {
		_, err = io.Copy(orDiscard(block), r.Block)
	} else {
		err = both(r, orDiscard(block), payload)
	}
	if err != nil {
		return nil, err
	}
	if !block.matches() {
		faults = append(faults, "WARC-Block-Digest is not that of the block")
	}
	if payload != nil && !payload.matches() {
		faults = append(faults, "WARC-Payload-Digest is not that of the payload")
	}
	return faults, nil
}

// both reads the block once for two digests, the payload's in both forms.
func both(r *Record, block io.Writer, payload *sum) error {
	all := *r
	all.Block = io.TeeReader(r.Block, block)
	head, body, err := divide(&all)
	if err != nil {
		return err
	}
	payload.or = newSum(payload.want)
	body = io.TeeReader(body, payload.or)
	if _, err = io.Copy(payload, decoded(head, body)); err != nil && (r.Short || isFormat(err)) {
		return err
	}
	payload.isSpoiled = err != nil && r.Fields.Get("WARC-Truncated") == "" // by its chunks: only the coded form can be compared
	_, err = io.Copy(io.Discard, body)
	return err
}

// A sum is a labelled digest that is being computed; nil is of an algorithm that is not known.
type sum struct {
	hash.Hash
	want string
	or   *sum // fits as well

	isSpoiled bool // not all was read
}

func newSum(labelled string) *sum {
	name, _, _ := strings.Cut(labelled, ":")
	var h hash.Hash
	switch strings.ToLower(name) {
	case "sha1", "sha-1", "sha":
		h = sha1.New()
	case "sha256", "sha-256":
		h = sha256.New()
	case "sha224", "sha-224":
		h = sha256.New224()
	case "sha384", "sha-384":
		h = sha512.New384()
	case "sha512", "sha-512":
		h = sha512.New()
	case "md5":
		h = md5.New()
	default:
		return nil
	}
	return &sum{Hash: h, want: labelled}
}

func orDiscard(s *sum) io.Writer {
	if s == nil {
		return io.Discard
	}
	return s
}

// matches compares in base 32 and 16, in any case, and in base 64 with both of its alphabets.
func (s *sum) matches() bool {
	if s == nil || s.or != nil && s.or.matches() {
		return true
	}
	if s.isSpoiled {
		return false
	}
	_, want, _ := strings.Cut(s.want, ":")
	got := s.Sum(nil)
	if strings.EqualFold(want, hex.EncodeToString(got)) {
		return true
	}
	want = strings.TrimRight(want, "=")
	return strings.EqualFold(want, strings.TrimRight(base32.StdEncoding.EncodeToString(got), "=")) ||
		want == base64.RawStdEncoding.EncodeToString(got) || want == base64.RawURLEncoding.EncodeToString(got)
}
