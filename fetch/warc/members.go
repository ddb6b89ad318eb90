package warc

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"example.org/deref/fetch/pieces"
)

// members are the separately compressed parts of an archive, in order. An uncompressed archive is one member.
type members struct {
	in      *bufio.Reader      // an io.ByteReader, so that no decoder reads ahead
	count   pieces.CountReader // below in
	at      io.ReaderAt        // the archive, from its beginning; nil if it can only be read once
	start   int64              // where the current member begins
	plain   bool
	begun   bool
	gz      gzip.Reader
	hasDict bool // zst has the dictionary at the head of the archive
	zst     *zstd.Decoder
	frame   *frame
	cur     io.Reader
}

func newMembers(r io.Reader) *members {
	m := &members{in: bufio.NewReaderSize(nil, 64<<10), at: fromHere(r)}
	m.reset(r, 0)
	return m
}

// reset continues with r, which is the archive from an offset on.
func (m *members) reset(r io.Reader, offset int64) {
	m.count = pieces.CountReader{R: r, N: offset}
	m.in.Reset(&m.count)
}

// offset returns the offset of what is read next.
func (m *members) offset() int64 { return m.count.N - int64(m.in.Buffered()) }

// fromHere returns the rest of r from its current offset, or nil if it can be read only once.
func fromHere(r io.Reader) io.ReaderAt {
	f, ok := r.(interface {
		io.Seeker
		io.ReaderAt
	})
	if !ok {
		return nil
	}
	begin, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // a pipe
	}
	return io.NewSectionReader(f, begin, 1<<62-begin)
}

// seek moves to a member, or to a record of an uncompressed archive.
func (m *members) seek(offset int64, plain bool) {
	m.reset(io.NewSectionReader(m.at, offset, 1<<62-offset), offset)
	m.start = offset
	m.plain, m.begun, m.cur, m.frame = false, !plain, nil, nil
}

// membersAt starts in the middle of an archive, after loading the dictionary that its head may contain.
func membersAt(f io.ReadSeeker, offset int64) (*members, error) {
	m := newMembers(f)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	m.at = nil // only this record is read
	if offset > 0 {
		if err := m.dictionary(); err != nil {
			return nil, err
		}
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	m.reset(f, offset)
	m.begun = m.zst != nil
	return m, nil
}

// next moves to the next member. It returns io.EOF at the end.
func (m *members) next() (io.Reader, error) {
	if m.cur != nil {
		if _, err := io.Copy(io.Discard, m.cur); err != nil {
			return nil, err
		}
		if m.frame != nil && m.frame.err != nil && m.frame.err != io.EOF {
			return nil, m.frame.err // a frame cut within its header looks complete to the decoder
		}
	}
	magic, err := m.in.Peek(4)
	if len(magic) == 0 {
		return nil, err
	}
	m.start = m.offset()
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		m.cur, err = m.gzip()
	case isZstd(magic):
		m.cur, err = m.zstd()
	case isCutMagic(magic):
		return nil, io.ErrUnexpectedEOF
	case m.begun:
		return nil, &FormatError{m.start, "data between the compressed members"}
	default:
		m.plain, m.cur, err = true, m.in, nil
	}
	m.begun = true
	return m.cur, err
}

// form returns the compression of the current member.
func (m *members) form() string {
	switch {
	case m.plain:
		return formPlain
	case m.zst != nil:
		return formZstd
	}
	return formGzip
}

// isCutMagic reports whether the archive ends within the first bytes of a member, as a killed program or a full disk leaves it.
func isCutMagic(b []byte) bool {
	return len(b) < 4 && (b[0] == 0x1f && len(b) == 1 || bytes.HasPrefix([]byte{0x28, 0xb5, 0x2f, 0xfd}, b))
}

func (m *members) gzip() (io.Reader, error) {
	if err := m.gz.Reset(m.in); err != nil {
		return nil, eofWithin(err)
	}
	m.gz.Multistream(false)
	return &m.gz, nil
}

func (m *members) close() {
	if m.zst != nil {
		m.zst.Close()
	}
}

// broken reports whether err comes from decompression.
func (m *members) broken(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || m.frame != nil && m.frame.err == nil
}
