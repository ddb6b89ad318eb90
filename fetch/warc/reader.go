package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of what is read.
const (
	maxLine   = 64 << 10 // of a header; Target-URIs are the longest
	maxHeader = 256 << 10
	maxFields = 1000
)

// A FormatError is what is not an archive. Offset is where the record begins that is damaged, or what is there instead of one.
type FormatError struct {
	Offset int64
	Text   string
}

func (e *FormatError) Error() string { return fmt.Sprintf("at octet %d: %s", e.Offset, e.Text) }

// A Reader reads archives record by record: plain, gzip and zstd, told apart by their first octets; WARC/0.17 to 1.1, as wget,
// Heritrix, warcio and others write them, and ARC, the format before that, with the fields that its records would have in WARC.
type Reader struct {
	in     *members
	text   *bufio.Reader // of the member in hand
	count  *counted      // below text
	record *Record
	block  *io.LimitedReader
	begun  bool            // the member in hand
	ends   int             // empty lines in front of the record in hand
	from   int64           // where the record in hand begins, or what is there instead
	err    error           // the last of Next
	infos  map[string]bool // IDs of the warcinfo records so far
	found  *Record         // after damage
	last   int64           // where the last record begins that was returned, -1 before the first
	bad    int64           // where the latest damage is
	apart  bool            // the record before that has its end
	isARC  bool            // the format before WARC
}

// NewReader returns a Reader. It reads ahead of what it gives. If r is a file, or another io.Seeker that is an io.ReaderAt, damage in one
// record does not hide the others: see Next.
func NewReader(r io.Reader) *Reader { return &Reader{in: newMembers(r), last: -1} }

// Close frees what the Reader holds; it does not close what it reads from.
func (r *Reader) Close() { r.in.close() }

// Next returns the next record, whatever was read of the one before; io.EOF at the end. io.ErrUnexpectedEOF says that the archive
// ends within a record, as a killed program leaves it: all records before that are whole.
//
// A *FormatError says that a record is damaged: the one before, if it has its Offset. The Next after it returns the first record after the
// damage, or io.EOF if there is none.
func (r *Reader) Next() (*Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	rec, err := r.found, error(nil)
	if r.found = nil; rec == nil {
		if err = r.leave(); err == nil {
			r.ends = 0
			rec, err = r.next()
		}
	}
	if err != nil {
		return nil, r.stop(err)
	}
	r.record, r.last = rec, r.from
	r.block = &io.LimitedReader{R: r.text, N: rec.Size}
	rec.Block = &block{r, rec}
	r.learn(rec)
	return rec, nil
}

// stop decides how to go on after an error.
func (r *Reader) stop(err error) error {
	_, broken := errors.AsType[*FormatError](err)
	if !broken && err != io.ErrUnexpectedEOF || r.in.at == nil {
		if r.err = err; broken {
			r.err = io.EOF
		}
		return err
	}
	if r.isARC {
		if r.err = err; broken {
			r.err = io.EOF // no line tells where another record begins
		}
		return err
	}
	at := r.from
	r.bad, r.apart = at, !r.in.plain || r.ends == 2
	if r.in.plain && len(r.infos) > 0 {
		at = r.last // a length that is wrong may have hidden records within it
	}
	var ferr error
	if r.found, ferr = r.find(at + 1); ferr != nil {
		r.err = ferr
		return ferr
	}
	switch {
	case r.found == nil && !broken: // it ends here
		r.err = err
	case r.found == nil:
		r.err = io.EOF
	case !broken: // a code that is damaged may seem to go on to the end of the file
		err = &FormatError{r.bad, "the record is damaged"}
	}
	return err
}

// readAt reads the record that begins where rec says, in the same file.
func readAt(f io.ReadSeeker, offset, within int64) (*Record, error) {
	m, err := membersAt(f, offset)
	if err != nil {
		return nil, err
	}
	for r := (&Reader{in: m, isARC: true}); ; { // which only its first record tells
		rec, err := r.Next()
		if err != nil || rec.Within >= within || rec.Offset > offset {
			return rec, err
		}
	}
}

// next reads the header of the next record, in this member or the next.
func (r *Reader) next() (*Record, error) {
	for {
		if !r.begun {
			if err := r.open(); err != nil {
				return nil, err
			}
		}
		first, at, err := r.blank()
		if err == io.EOF && !r.in.plain {
			r.begun = false // this member has ended
			continue
		}
		if err != io.EOF {
			if r.from = r.in.start; r.in.plain {
				r.from += at
			}
		}
		if err != nil {
			return nil, r.cut(err)
		}
		return r.header(first, at)
	}
}

func (r *Reader) open() error {
	m, err := r.in.next()
	if err != nil {
		if err != io.EOF {
			r.from = r.in.start
		}
		return r.cut(err)
	}
	r.count = &counted{r: m}
	if r.text == nil {
		r.text = bufio.NewReaderSize(nil, maxLine)
	}
	r.text.Reset(r.count)
	r.begun = true
	return nil
}

// within is how many octets of the member have been read.
func (r *Reader) within() int64 { return r.count.n - int64(r.text.Buffered()) }

// blank skips the empty lines between records and returns the first line that is not, and where in the member it begins.
func (r *Reader) blank() (line string, at int64, err error) {
	for ; ; r.ends++ {
		at = r.within()
		if line, err = r.line(); err != nil || line != "" {
			return line, at, err
		}
	}
}

// line reads a line without its end. A line that the end of the archive cuts is io.ErrUnexpectedEOF.
func (r *Reader) line() (string, error) {
	b, err := r.text.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return "", r.wrong("a line of a header is longer than %d octets", maxLine)
	case err == io.EOF && len(b) > 0:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	return string(bytes.TrimRight(b, "\r\n")), nil
}

func (r *Reader) wrong(format string, args ...any) error {
	return &FormatError{max(r.from, r.in.start), fmt.Sprintf(format, args...)}
}

// header reads the fields behind the line of the version.
func (r *Reader) header(first string, at int64) (*Record, error) {
	version, ok := strings.CutPrefix(first, "WARC/")
	if !ok {
		if rec, err := r.arc(first, at); rec != nil {
			return rec, err
		}
		return nil, r.wrong("no record begins here: %.40q", first)
	}
	rec := &Record{Version: version, Offset: r.in.start, Within: at, Size: -1}
	if r.in.plain {
		rec.Offset, rec.Within = r.in.start+at, 0
	}
	for total := 0; ; {
		line, err := r.line()
		if err != nil {
			return nil, r.cut(eofWithin(err))
		}
		if line == "" {
			break
		}
		if total += len(line); total > maxHeader || len(rec.Fields) >= maxFields {
			return nil, r.wrong("the header of a record has more than %d octets or %d fields", maxHeader, maxFields)
		}
		if err := rec.take(line); err != nil {
			return nil, r.wrong("%v", err)
		}
	}
	n, err := strconv.ParseInt(rec.Fields.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 {
		return nil, r.wrong("a record has no Content-Length")
	}
	rec.Size = n
	return rec, nil
}

// take adds a line of the header; one that begins with a blank goes on with the field above it.
func (r *Record) take(line string) error {
	if n := len(r.Fields); (line[0] == ' ' || line[0] == '\t') && n > 0 {
		r.Fields[n-1].Value = strings.TrimSpace(r.Fields[n-1].Value + " " + strings.TrimSpace(line))
		return nil
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return fmt.Errorf("%.40q is no field of a header", line)
	}
	r.Fields = append(r.Fields, Field{name, strings.TrimSpace(value)})
	return nil
}

// leave goes to the end of the record in hand.
func (r *Reader) leave() error {
	if r.record == nil {
		return nil
	}
	rec := r.record
	r.record = nil
	_, err := io.Copy(io.Discard, rec.Block)
	return err
}

// block is the content of a record, and tells an early end.
type block struct {
	r   *Reader
	rec *Record
}

func (b *block) Read(p []byte) (int, error) {
	n, err := b.r.block.Read(p)
	if err == io.EOF && b.r.block.N > 0 {
		b.rec.Short = true
		err = io.ErrUnexpectedEOF
	}
	return n, b.r.cut(err)
}

// cut gives errors of what the archive is read from as they are, and those of its compression a place.
func (r *Reader) cut(err error) error {
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		return err
	}
	if _, ok := errors.AsType[*FormatError](err); ok || !r.in.broken(err) {
		return err
	}
	return r.wrong("%v", err)
}

func eofWithin(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
