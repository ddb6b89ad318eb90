package warc

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
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

	// DialogueType is the conversation of a protocol other than HTTP: the text of package dialogue, which Parse reads and a Player
	// plays. Comments at its head, "# name: value", say what came of it (see Outcome).
	DialogueType = "text/x-deref-dialogue;charset=utf-8"
)

// A Field is one named field of a header.
type Field struct{ Name, Value string }

// Fields are the named fields of a record in their order.
type Fields []Field

// Get returns the value of the first field of that name, in any case.
func (f Fields) Get(name string) string {
	for _, x := range f {
		if strings.EqualFold(x.Name, name) {
			return x.Value
		}
	}
	return ""
}

// add appends a field, unless it has no value. Line ends within it become blanks.
func (f *Fields) add(name, value string) {
	if value != "" {
		*f = append(*f, Field{name, oneLine(value)})
	}
}

func oneLine(s string) string {
	if strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\r') >= 0 || strings.IndexByte(s, 0) >= 0 {
		s = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ").Replace(s)
	}
	return s
}

// A Record is one record of an archive.
type Record struct {
	Version string // "1.1", of one that was read; "ARC" of one in the format before WARC
	Fields  Fields
	Size    int64     // octets of Block
	Block   io.Reader // of one that was read: valid until the next one is

	// Where it stands in its file: the offset of the compressed member that it begins in, and how many octets of that member's
	// content precede it. Length is what the file holds of it, known once the next record was asked for.
	Offset, Within, Length int64
	entry                  entry         // what the index says of it
	original               payloadDigest // of the payload that it is the first to hold
	sample                 []byte        // some octets of a payload that may be compressed already
	mem                    []byte        // of one to be written: the block where Block is nil

	// Short: the block ends before Size, because the file does.
	Short bool
}

// Type is one of the types of records, or another word.
func (r *Record) Type() string { return strings.ToLower(r.Fields.Get("WARC-Type")) }

// ID is the record's own URI.
func (r *Record) ID() string { return r.Fields.Get("WARC-Record-ID") }

// Target is the URI that the record is about.
func (r *Record) Target() string {
	return strings.ReplaceAll(unbracket(r.Fields.Get("WARC-Target-URI")), " ", "%20") // QUIRK: of files and of old crawls, as warcio mends them
}

// QUIRK: wget and others put URIs in angle brackets, as the grammar of WARC/1.0 has it in contradiction to its examples.
func unbracket(s string) string {
	if inner, ok := strings.CutPrefix(s, "<"); ok {
		s = strings.TrimSuffix(inner, ">")
	}
	return s
}

// Date is when the capture began; zero if it cannot be read. WARC/1.1 has times of any precision (ISO 28500:2017 section 5.4).
func (r *Record) Date() time.Time { return dateOf(r.Fields.Get("WARC-Date")) }

func dateOf(s string) time.Time {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// isWhole reports whether a date has its seconds.
func isWhole(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// MediaType is the type of the block.
func (r *Record) MediaType() string { return r.Fields.Get("Content-Type") }

// Status reads the beginning of the block and returns the status of HTTP's answer in it, 0 where there is none.
func (r *Record) Status() int {
	if kind := r.Type(); kind != Response && kind != Revisit || !strings.HasPrefix(r.MediaType(), "application/http") {
		return 0
	}
	b := make([]byte, min(r.Size, 64))
	n, _ := io.ReadFull(r.Block, b)
	line, _, _ := strings.Cut(string(b[:n]), "\n")
	var status int
	if _, rest, ok := strings.Cut(line, " "); ok && strings.HasPrefix(line, "HTTP/") {
		fmt.Sscanf(rest, "%3d", &status)
	}
	return status
}

// newID makes a record's URI: a random UUID (RFC 9562 section 5.4). The numbers are those of ChaCha8 with a seed of the system: no call each.
func newID() string {
	var b [16]byte
	binary.NativeEndian.PutUint64(b[:], rand.Uint64())
	binary.NativeEndian.PutUint64(b[8:], rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	var digits [32]byte
	hex.Encode(digits[:], b[:])
	id := append(make([]byte, 0, 48), "<urn:uuid:"...)
	from := 0
	for _, to := range [5]int{8, 12, 16, 20, 32} {
		if from > 0 {
			id = append(id, '-')
		}
		id = append(id, digits[from:to]...)
		from = to
	}
	return string(append(id, '>'))
}

// A stamp is a time as records have it.
type stamp string

// stampOf writes t in microseconds. package time is quick with RFC 3339 in seconds only.
func stampOf(t time.Time) stamp {
	b := t.UTC().AppendFormat(make([]byte, 0, 32), time.RFC3339)
	end := len(b) - 1 // the Z
	b = append(b, "000000Z"...)
	b[end] = '.'
	for i, us := end+6, t.Nanosecond()/1000; i > end; i, us = i-1, us/10 {
		b[i] = '0' + byte(us%10)
	}
	return stamp(b)
}

// begin makes r a new record, in the room of an earlier one. A target with angle brackets or blanks is none.
func (r *Record) begin(kind, target string, at stamp) {
	clear(r.Fields)
	*r = Record{Fields: r.Fields[:0]}
	r.Fields.add("WARC-Type", kind)
	r.Fields.add("WARC-Record-ID", newID())
	r.Fields.add("WARC-Date", string(at))
	r.Fields.add("WARC-Target-URI", target)
}

// put makes the octets [from,to) of s the block.
func (r *Record) put(s *spool, from, to int64) {
	if r.Size = to - from; s.file == nil {
		r.mem = s.mem[from:to]
	} else {
		r.Block = s.section(from, to)
	}
	r.Fields.add("WARC-Block-Digest", digest256(s, from, to))
}

// writeBlock writes the block.
func (r *Record) writeBlock(w io.Writer) error {
	if r.Block == nil {
		_, err := w.Write(r.mem)
		return err
	}
	_, err := io.Copy(w, r.Block)
	return err
}

// isDense reports whether the payload is compressed already, as images and archives are. compress.Estimate: "Above 0.1 are likely to be
// compressible."
func (r *Record) isDense() bool { return len(r.sample) >= 512 && compress.Estimate(r.sample) < 0.1 }

// appendHead appends what precedes the block.
func (r *Record) appendHead(b []byte) []byte {
	b = append(b, "WARC/1.1\r\n"...)
	for _, f := range r.Fields {
		b = append(append(append(append(b, f.Name...), ": "...), f.Value...), "\r\n"...)
	}
	b = strconv.AppendInt(append(b, "Content-Length: "...), r.Size, 10)
	return append(b, "\r\n\r\n"...)
}
