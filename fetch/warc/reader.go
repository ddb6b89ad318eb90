package warc

import (
	"bufio"
	"fmt"
	"io"

	"example.org/deref/fetch/pieces"
)

// Bounds on the input.
const (
	maxTarget = 1 << 20       // bytes of a target URI that is written
	maxHeader = 4 * maxTarget // bytes of a header, which may contain two URIs
	maxFields = 1000
)

// lineSize is more than most lines of a header have.
const lineSize = 64 << 10

// A FormatError reports data that is not a valid archive. Offset is where the damaged record begins, or the data in its place.
type FormatError struct {
	Offset int64
	Text   string
}

func (e *FormatError) Error() string { return fmt.Sprintf("at byte %d: %s", e.Offset, e.Text) }

// A Reader reads archives record by record. It recognizes plain, gzip and zstd files by their first bytes; WARC/0.17 to 1.1, as wget,
// Heritrix, warcio and others write them; and ARC, the earlier format, whose records get the equivalent WARC fields.
type Reader struct {
	in     *members
	text   *bufio.Reader       // of the current member
	count  *pieces.CountReader // below text
	record *Record
	block  *io.LimitedReader
	begun  bool            // the current member has been opened
	ends   int             // empty lines before the current record
	from   int64           // where the current record begins, or the data in its place
	err    error           // the final error of Next
	infos  map[string]bool // IDs of the warcinfo records so far
	found  *Record         // the next record, found after damage
	last   int64           // where the last returned record begins; -1 before the first
	bad    int64           // where the latest damage is
	apart  bool            // the record before that is complete
	isARC  bool            // the format before WARC
}

// NewReader returns a Reader. It buffers, so it may read beyond the records it returns. If r is a file, or another io.Seeker that is an
// io.ReaderAt, damage in one record does not hide the others: see Next.
func NewReader(r io.Reader) *Reader { return &Reader{in: newMembers(r), last: -1} }

// Close frees the Reader's resources. It does not close the underlying reader.
func (r *Reader) Close() { r.in.close() }

// Next returns the next record, even if the previous one was not read to its end, and io.EOF at the end. io.ErrUnexpectedEOF means that the
// archive ends within a record, as a killed program leaves it; all records before that are complete.
//
// A *FormatError means that a record is damaged: the previous one if it has the same Offset. The next call returns the first record after
// the damage, or io.EOF.
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
	r.noteWarcinfo(rec)
	return rec, nil
}

// stop decides how to continue after an error.
func (r *Reader) stop(err error) error {
	broken := isFormat(err)
	r.bad, r.apart = r.from, !r.in.plain || r.ends == 2
	if !broken && err != io.ErrUnexpectedEOF || r.in.at == nil || r.isARC { // in ARC no line marks the start of another record
		if r.err = err; broken {
			r.err = io.EOF
		}
		return err
	}
	at := r.from
	if r.in.plain && len(r.infos) > 0 {
		at = r.last // a wrong length may have hidden records
	}
	ends := r.ends
	var ferr error
	if r.found, ferr = r.findAfterDamage(at + 1); ferr != nil {
		r.err = ferr
		return ferr
	}
	r.ends = ends
	switch {
	case r.found == nil && !broken: // the archive ends here
		r.err = err
	case r.found == nil:
		r.err = io.EOF
	case !broken: // damaged compressed data may seem to extend to the end of the file
		err = &FormatError{r.bad, "the record is damaged"}
	}
	return err
}

// readAt reads the record at the given place in f. The Reader returns the records after it, and the caller closes it.
func readAt(f io.ReadSeeker, offset, within int64) (*Reader, *Record, error) {
	m, err := membersAt(f, offset)
	if err != nil {
		return nil, nil, err
	}
	for r := (&Reader{in: m, isARC: true}); ; { // only its first record shows whether it is ARC
		rec, err := r.Next()
		if err != nil {
			r.Close()
			return nil, nil, err
		}
		if rec.Within >= within || rec.Offset > offset {
			return r, rec, nil
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
	r.count = &pieces.CountReader{R: m}
	if r.text == nil {
		r.text = bufio.NewReaderSize(nil, lineSize)
	}
	r.text.Reset(r.count)
	r.begun = true
	return nil
}

// within returns how many bytes of the member have been read.
func (r *Reader) within() int64 { return r.count.N - int64(r.text.Buffered()) }

// leave skips to the end of the current record.
func (r *Reader) leave() error {
	if r.record == nil {
		return nil
	}
	rec := r.record
	r.record = nil
	_, err := io.Copy(io.Discard, rec.Block)
	return err
}

// block is the content of a record. It reports an early end.
type block struct {
	r   *Reader
	rec *Record
}

func (b *block) Read(p []byte) (int, error) {
	n, err := b.r.block.Read(p)
	if (err == io.EOF || err == io.ErrUnexpectedEOF) && b.r.block.N > 0 { // the latter within compressed data
		b.rec.Short = true
		err = io.ErrUnexpectedEOF
	}
	return n, b.r.cut(err)
}

// cut adds the offset to decompression errors and returns other errors unchanged.
func (r *Reader) cut(err error) error {
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		return err
	}
	if isFormat(err) || !r.in.broken(err) {
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
