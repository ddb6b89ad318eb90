package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"

	"example.org/deref/fetch/pieces"
)

// maxWindow bounds the memory for a zstd frame to what RFC 8878 section 3.1.1.1.2 recommends to support. Frames of single records need no
// more.
const maxWindow = 8 << 20

// maxDictionary bounds the dictionary at the head of an archive.
const maxDictionary = 16 << 20

// isZstd reports whether magic begins a frame (RFC 8878 section 3.1.1) or a skippable frame (section 3.1.2).
func isZstd(magic []byte) bool {
	if len(magic) < 4 {
		return false
	}
	n := binary.LittleEndian.Uint32(magic)
	return n == frameMagic || n&^0xf == skipMagic
}

const (
	frameMagic = 0xFD2FB528
	skipMagic  = 0x184D2A50
	dictMagic  = 0x184D2A5D // a dictionary for all frames (IIPC, "WARC compression with Zstandard")
)

// dictionary reads the skippable frame at the head of an archive, if there is one.
func (m *members) dictionary() error {
	magic, _ := m.in.Peek(4)
	if len(magic) < 4 || binary.LittleEndian.Uint32(magic) != dictMagic {
		return nil
	}
	return m.skip(true)
}

// zstd opens the next frame after any skippable ones.
func (m *members) zstd() (io.Reader, error) {
	for {
		magic, err := m.in.Peek(4)
		if len(magic) < 4 {
			return nil, err
		}
		n := binary.LittleEndian.Uint32(magic)
		if n == frameMagic {
			break
		}
		if n&^0xf != skipMagic {
			return nil, &FormatError{m.offset(), "data between the compressed members"}
		}
		if err := m.skip(n == dictMagic && !m.begun); err != nil {
			return nil, err
		}
		m.start = m.offset()
	}
	if m.zst == nil {
		if err := m.decoder(); err != nil {
			return nil, err
		}
	}
	m.frame = &frame{in: m.in}
	if err := m.zst.Reset(pieces.NewReader(m.frame.next)); err != nil {
		return nil, err
	}
	return m.zst, nil
}

func (m *members) decoder(dicts ...[]byte) (err error) {
	m.hasDict = len(dicts) > 0
	m.zst, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderDicts(dicts...))
	return err
}

// skip skips a skippable frame, and loads the dictionary that it may contain.
func (m *members) skip(isDict bool) error {
	var head [8]byte
	if _, err := io.ReadFull(m.in, head[:]); err != nil {
		return eofWithin(err)
	}
	n := int64(binary.LittleEndian.Uint32(head[4:]))
	if !isDict {
		_, err := io.CopyN(io.Discard, m.in, n)
		return eofWithin(err)
	}
	if n > maxDictionary {
		return &FormatError{m.offset(), "dictionary too long"}
	}
	dict := make([]byte, n)
	if _, err := io.ReadFull(m.in, dict); err != nil {
		return eofWithin(err)
	}
	if len(dict) >= 4 && binary.LittleEndian.Uint32(dict) == frameMagic { // the dictionary may be compressed itself
		z, err := zstd.NewReader(bytes.NewReader(dict), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
		if err != nil {
			return err
		}
		defer z.Close()
		if dict, err = io.ReadAll(z); err != nil {
			return err
		}
	}
	return m.decoder(dict)
}

// A frame reads exactly one zstd frame, so that the decoder stops where a record's own frame ends.
type frame struct {
	in    *bufio.Reader
	begun bool
	left  int64   // of the current block
	last  bool    // it is the last block
	sum   bool    // a checksum follows the last block
	head  [3]byte // of the block
	err   error
}

// next returns the frame's header, and then what there is of one block after the other (RFC 8878 section 3.1.1).
func (f *frame) next() (p []byte, err error) {
	switch {
	case f.left > 0:
		if _, err = f.in.Peek(1); err == nil {
			p, _ = f.in.Peek(int(min(f.left, int64(f.in.Buffered()))))
			f.in.Discard(len(p))
			f.left -= int64(len(p))
		}
	case f.last:
		f.err = io.EOF
		return nil, io.EOF
	case !f.begun:
		f.begun = true
		err = f.header()
	default:
		p = f.head[:]
		_, err = io.ReadFull(f.in, p)
		n := int64(p[0]) | int64(p[1])<<8 | int64(p[2])<<16
		f.last = n&1 == 1
		if f.left = n >> 3; n>>1&3 == 1 { // one byte, repeated
			f.left = 1
		}
		if f.last && f.sum {
			f.left += 4
		}
	}
	if err != nil {
		f.err = eofWithin(err)
		return nil, f.err
	}
	return p, nil
}

func (f *frame) header() error {
	var h zstd.Header
	b, err := f.in.Peek(zstd.HeaderMaxSize)
	if h.Decode(b) == io.ErrUnexpectedEOF {
		return err
	}
	f.left, f.sum = int64(h.HeaderSize), h.HasCheckSum // the decoder reports what is wrong in it
	return nil
}
