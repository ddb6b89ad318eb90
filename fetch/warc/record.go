package warc

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress"
)

// Types of records (ISO 28500:2017 section 5.5).
const (
	Warcinfo   = "warcinfo"
	Request    = "request"
	Response   = "response"
	Resource   = "resource"
	Metadata   = "metadata"
	Revisit    = "revisit"
	Conversion = "conversion"
)

// Media types of blocks.
const (
	FieldsType   = "application/warc-fields"
	RequestType  = "application/http;msgtype=request"
	ResponseType = "application/http;msgtype=response"

	// DialogueType is the type of a dialogue in a protocol other than HTTP: the text of package dialogue, which its Parse reads and its
	// Player plays. Comments at its head, "# name: value", contain the outcome (see Outcome).
	DialogueType = "text/x-deref-dialogue;charset=utf-8"
)

// A Field is one named field of a header.
type Field struct{ Name, Value string }

// Fields holds the named fields of a record in order.
type Fields []Field

// Get returns the value of the first field of that name, ignoring case.
func (f Fields) Get(name string) string {
	for _, x := range f {
		if strings.EqualFold(x.Name, name) {
			return x.Value
		}
	}
	return ""
}

// add appends a field, unless its value is empty. Line ends in the value become blanks.
func (f *Fields) add(name, value string) {
	if value != "" {
		*f = append(*f, Field{name, oneLine(value)})
	}
}

// lines appends the fields to b, each as a line.
func (f Fields) lines(b []byte) []byte {
	for _, x := range f {
		b = append(append(append(append(b, x.Name...), ": "...), x.Value...), "\r\n"...)
	}
	return b
}

func oneLine(s string) string {
	if strings.ContainsAny(s, "\r\n\x00") {
		s = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ").Replace(s)
	}
	return s
}

// A Record is one record of an archive.
type Record struct {
	Version string // of a record that was read: "1.1", or "ARC" for the earlier format
	Fields  Fields
	Size    int64     // bytes in Block
	Block   io.Reader // of a record that was read: valid until the next is read; nil means empty

	// Place in the file: the offset of the compressed member that the record begins in, and how many bytes of that member's
	// content precede it. Length is the record's length in the file, known once the next record is read.
	Offset, Within, Length int64
	entry                  entry  // for the index
	isOriginal             bool   // it stores a payload that no earlier record has
	sample                 []byte // some bytes of a payload that may be compressed already
	head                   int64  // of a record that was read: bytes before the block
	unended                bool   // of a record that was read: the line ends after the block are incomplete
	compact                bool   // worth the time of compressing it well, because hardly anything else is written

	// Short means that the block ends before Size, because the file does.
	Short bool
}

// Type returns one of the record types above, or another word.
func (r *Record) Type() string { return strings.ToLower(r.Fields.Get("WARC-Type")) }

// ID returns the record's own URI.
func (r *Record) ID() string { return r.Fields.Get("WARC-Record-ID") }

// Target returns the URI that the record is about.
func (r *Record) Target() string {
	return strings.ReplaceAll(unbracket(r.Fields.Get("WARC-Target-URI")), " ",
		"%20") // QUIRK: blanks occur in file URIs and old crawls; warcio escapes them, too
}

// unbracket removes angle brackets. QUIRK: wget and others put URIs in them, following the grammar of WARC/1.0, which contradicts its
// examples.
func unbracket(s string) string {
	if inner, ok := strings.CutPrefix(s, "<"); ok {
		s = strings.TrimSuffix(inner, ">")
	}
	return s
}

// Date returns when the capture began, or zero if the field cannot be parsed. WARC/1.1 allows any precision (ISO 28500:2017 section 5.4).
func (r *Record) Date() time.Time { return dateOf(r.Fields.Get("WARC-Date")) }

func dateOf(s string) time.Time {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// isWhole reports whether a date includes its seconds.
func isWhole(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// MediaType returns the type of the block.
func (r *Record) MediaType() string { return r.Fields.Get("Content-Type") }

// Status returns the HTTP status at the beginning of the block, or 0.
func (r *Record) Status() int {
	if kind := r.Type(); kind != Response && kind != Revisit || !strings.HasPrefix(r.MediaType(), "application/http") {
		return 0
	}
	b := make([]byte, min(r.Size, 64))
	n, _ := io.ReadFull(r.Block, b)
	r.Block = io.MultiReader(bytes.NewReader(b[:n]), r.Block)
	_, status := statusLine(b[:n])
	return status
}

// newID returns a record's URI with a random UUID (RFC 9562 section 5.4).
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// stampOf formats a time for WARC-Date, in microseconds.
func stampOf(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// newRecord returns a record that is to be written.
func newRecord(kind, target string, at time.Time) *Record {
	r := &Record{Fields: make(Fields, 0, 16)}
	r.Fields.add("WARC-Type", kind)
	r.Fields.add("WARC-Record-ID", newID())
	r.Fields.add("WARC-Date", stampOf(at))
	r.Fields.add("WARC-Target-URI", target)
	return r
}

// setID changes the ID of a new record.
func (r *Record) setID(id string) { r.Fields[1].Value = id }

// put makes the bytes [from,to) of s the block.
func (r *Record) put(s *spool, from, to int64) {
	r.Size, r.Block = to-from, s.section(from, to)
	switch {
	case to == from:
	case r.compact:
		r.Fields.add("WARC-Block-Digest", digestOf(s, from, to).String()) // half as long
	default:
		r.Fields.add("WARC-Block-Digest", digest256(s, from, to))
	}
}

// isCompressed reports whether the payload is compressed already, like images and archives. compress.Estimate: "Above 0.1 are likely to be
// compressible."
func (r *Record) isCompressed() bool {
	return len(r.sample) >= 512 && compress.Estimate(r.sample) < incompressible
}

// incompressible is the estimate below which compression gains nothing.
const incompressible = 0.1

// appendHead appends the header that precedes the block.
func (r *Record) appendHead(b []byte) []byte {
	b = r.Fields.lines(append(b, "WARC/1.1\r\n"...))
	b = strconv.AppendInt(append(b, "Content-Length: "...), r.Size, 10)
	return append(b, "\r\n\r\n"...)
}
