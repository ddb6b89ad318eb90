package z3950

import (
	"bytes"
	"fmt"
	"io"
)

// HeaderLen is the length of the header before every APDU.
const HeaderLen = 25

// maxNoise is how many bytes before a header are skipped. The original client searches for the first "0".
const maxNoise = 64

// A Header precedes every APDU.
type Header struct {
	Length      int64
	Type        byte   // 'z' is a Z39.50 APDU; 'a' and 'n' (acknowledgments) are never used
	Version     byte   // '2'; servers also accept '1' and a blank
	Server      string // blank padded to 10
	Compression byte   // a blank means none
	Encoding    byte   // a blank means none
}

// NewHeader returns the header that clients send.
func NewHeader(length int) Header {
	return Header{Length: int64(length), Type: 'z', Version: '2', Server: "wais", Compression: ' ', Encoding: ' '}
}

// Append appends the 25 bytes. No implementation computes the checksum.
func (h Header) Append(b []byte) []byte {
	b = append(fmt.Appendf(b, "%010d", h.Length), h.Type, h.Version)
	server := h.Server + "          "
	b = append(b, server[:10]...)
	return append(b, h.Compression, h.Encoding, '0')
}

// ParseHeader parses a header at the beginning of b, which has at least HeaderLen bytes. ok is false if it is not one.
func ParseHeader(b []byte) (h Header, ok bool) {
	for _, c := range b[:10] {
		if c < '0' || c > '9' {
			return h, false
		}
		h.Length = h.Length*10 + int64(c-'0')
	}
	h.Type, h.Version, h.Compression, h.Encoding = b[10]|0x20, b[11], b[22], b[23]
	switch h.Type {
	case 'z', 'a', 'n':
		h.Server = string(bytes.TrimRight(b[12:22], " "))
		return h, true
	}
	return h, false
}

// Frame returns an APDU after the header that clients send.
func Frame(apdu []byte) []byte {
	b := make([]byte, 0, HeaderLen+len(apdu))
	return append(NewHeader(len(apdu)).Append(b), apdu...)
}

// check returns an error unless the frame is a plain APDU.
func (h Header) check(most int) error {
	switch {
	case h.Length > int64(most):
		return TooLong(h.Length)
	case h.Type != 'z':
		return malformed("a frame of type %q, not of Z39.50", h.Type)
	case h.Version > '2':
		return malformed("a header of version %q", h.Version)
	case h.Compression != ' ':
		return malformed("an unrequested compressed frame (%q)", h.Compression)
	case h.Encoding != ' ':
		return malformed("an unrequested encoded frame (%q)", h.Encoding)
	}
	return nil
}

// A Reader reads frames.
type Reader struct {
	r    io.Reader
	most int
	buf  []byte
	n    int // bytes in buf
	used int // bytes of the frame that was returned

	Noise int // bytes that were dropped before headers
}

// NewReader returns a Reader of frames whose APDUs have at most most bytes.
func NewReader(r io.Reader, most int) *Reader { return &Reader{r: r, most: most} }

// Buffered returns how many bytes were read after the last frame.
func (f *Reader) Buffered() int { return f.n - f.used }

// Next returns the APDU of the next frame, empty if the peer could not produce one, and its header. The APDU is valid until the next
// call. The error is io.EOF if the input ends before the first byte.
func (f *Reader) Next() (Header, []byte, error) {
	f.n = copy(f.buf, f.buf[f.used:f.n])
	f.used = 0
	h, err := f.header()
	if err == nil {
		err = h.check(f.most)
	}
	if err != nil {
		return h, nil, err
	}
	end := HeaderLen + int(h.Length)
	if err := f.fill(end); err != nil {
		return h, nil, err
	}
	f.used = end
	return h, f.buf[HeaderLen:end:end], nil
}

// header finds the header, and drops the bytes before it.
func (f *Reader) header() (Header, error) {
	for skipped := 0; ; {
		err := f.fill(HeaderLen)
		if err == io.EOF && skipped > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return Header{}, err
		}
		if h, ok := ParseHeader(f.buf); ok {
			return h, nil
		}
		n := bytes.IndexByte(f.buf[1:HeaderLen], '0') + 1
		if n == 0 {
			n = HeaderLen
		}
		f.Noise += n
		if skipped += n; skipped > maxNoise {
			return Header{}, malformed("no header within %d bytes", maxNoise)
		}
		f.n = copy(f.buf, f.buf[n:f.n])
	}
}

// fill reads until n bytes are buffered. The buffer grows with the bytes received, not with the announced length.
func (f *Reader) fill(n int) error {
	for f.n < n {
		if f.n == len(f.buf) {
			f.buf = append(f.buf, make([]byte, max(4<<10, len(f.buf)))...)
		}
		k, err := f.r.Read(f.buf[f.n:])
		f.n += k
		switch {
		case f.n >= n:
		case err == io.EOF && f.n > 0:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
	return nil
}
