package http

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"hash/crc32"
	"io"

	"example.org/deref/fetch"
)

// Flags of a gzip header: RFC 1952 section 2.3.1.
const (
	gzipHeaderCRC = 1 << 1
	gzipExtra     = 1 << 2
	gzipName      = 1 << 3
	gzipComment   = 1 << 4
	gzipReserved  = 0b11100000
)

// A gzipReader decodes gzip data of one or more members (RFC 1952 section 2.2). It skips the headers itself, because compress/gzip rejects
// names and comments of more than 511 bytes, and gives compress/gzip a header without them.
type gzipReader struct {
	in        *bufio.Reader
	z         *gzip.Reader
	maxHeader int
	err       error
}

func newGzipReader(r io.Reader, maxHeader int) (*gzipReader, error) {
	m := &gzipReader{in: bufio.NewReader(r), maxHeader: maxHeader}
	return m, m.next()
}

// next starts the next member. It returns io.EOF if there is none.
func (m *gzipReader) next() error {
	if _, err := m.in.Peek(1); err != nil {
		return err
	}
	if err := m.skipHeader(); err != nil {
		return err
	}
	plain := prefixed{bytes.NewReader([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}), m.in}
	if m.z == nil {
		z, err := gzip.NewReader(plain)
		if err != nil {
			return err
		}
		m.z = z
	} else if err := m.z.Reset(plain); err != nil {
		return err
	}
	m.z.Multistream(false)
	return nil
}

func (m *gzipReader) Read(p []byte) (n int, err error) {
	for m.err == nil {
		n, err = m.z.Read(p)
		if err == io.EOF {
			err = m.next()
		}
		if m.err = err; n > 0 || len(p) == 0 {
			return n, nil
		}
	}
	return 0, m.err
}

// skipHeader skips a member's header. RFC 1952 section 2.3.
func (m *gzipReader) skipHeader() error {
	left, sum := m.maxHeader, uint32(0)
	var buf [512]byte
	next := func(n int) (b []byte, err error) { // skips n bytes; it returns the last of them, at most 512
		for ; n > 0 && err == nil; n -= len(b) {
			b = buf[:min(n, len(buf))]
			if left -= len(b); left < 0 {
				return nil, fetch.Errorf(fetch.ErrLimit, "the header of the gzip data has more than %d bytes", m.maxHeader)
			}
			_, err = io.ReadFull(m.in, b)
			sum = crc32.Update(sum, crc32.IEEETable, b)
		}
		return b, unexpected(err)
	}
	b, err := next(10)
	if err != nil {
		return err
	}
	flags := b[3]
	if b[0] != 0x1f || b[1] != 0x8b || b[2] != 8 || flags&gzipReserved != 0 {
		return gzip.ErrHeader
	}
	if flags&gzipExtra != 0 {
		if b, err = next(2); err == nil {
			_, err = next(int(b[0]) | int(b[1])<<8)
		}
	}
	for _, text := range [...]byte{gzipName, gzipComment} {
		for more := flags&text != 0; more && err == nil; {
			if b, err = next(1); err == nil {
				more = b[0] != 0
			}
		}
	}
	if want := uint16(sum); flags&gzipHeaderCRC != 0 && err == nil {
		if b, err = next(2); err == nil && uint16(b[0])|uint16(b[1])<<8 != want {
			return gzip.ErrChecksum
		}
	}
	return err
}

// unexpected turns io.EOF into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// prefixed reads head, then in. It has ReadByte so that compress/gzip does not read beyond the end of the member.
type prefixed struct {
	head *bytes.Reader
	in   *bufio.Reader
}

func (h prefixed) Read(p []byte) (int, error) {
	if h.head.Len() > 0 {
		return h.head.Read(p)
	}
	return h.in.Read(p)
}

func (h prefixed) ReadByte() (byte, error) {
	if h.head.Len() > 0 {
		return h.head.ReadByte()
	}
	return h.in.ReadByte()
}
