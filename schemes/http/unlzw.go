package http

import (
	"bufio"
	"errors"
	"io"

	"example.org/deref/fetch/pieces"
)

// errLZW is the error of data in another format than that of compress.
var errLZW = errors.New("unlzw: not in the format of compress")

const (
	lzwMin   = 9   // bits of a code
	lzwMax   = 16  // as well
	lzwClear = 256 // in block mode: the table is cleared
)

// An unlzw decodes the format of the UNIX program compress (".Z"), which HTTP calls the content codings compress and x-compress (RFC 9110
// section 8.4.1.1). It differs from the LZW of GIF, TIFF and PDF in package compress/lzw: codes grow to 16 bits and come in groups of eight,
// and the rest of a group is padding when their width changes.
type unlzw struct {
	in    *bufio.Reader
	most  uint // bits of the widest code
	block bool

	prefix [1 << lzwMax]uint16
	suffix [1 << lzwMax]byte
	next   int  // first free code
	width  uint // bits of a code
	old    int  // the previous code, -1 none
	first  byte // the first byte of its string

	group []byte // eight codes, fewer at the end; nil if the next group must be read
	bit   uint   // the bits of group already read
	buf   [lzwMax + 2]byte

	work [1 << lzwMax]byte
}

// newUnlzw returns a Reader of the decoded data of r. It reads the header at once.
func newUnlzw(r io.Reader) (io.Reader, error) {
	z := &unlzw{in: bufio.NewReader(r), old: -1, width: lzwMin}
	var h [3]byte
	if _, err := io.ReadFull(z.in, h[:]); err != nil {
		return nil, unexpected(err)
	}
	z.most, z.block = uint(h[2]&0x1f), h[2]&0x80 != 0
	if h[0] != 0x1f || h[1] != 0x9d || h[2]&0x60 != 0 || z.most < lzwMin || z.most > lzwMax {
		return nil, errLZW
	}
	z.reset()
	return pieces.NewReader(z.step), nil
}

func (z *unlzw) reset() {
	z.next = lzwClear
	if z.block {
		z.next = lzwClear + 1
	}
}

// step reads one code and returns its string.
func (z *unlzw) step() ([]byte, error) {
	code, err := z.code()
	switch {
	case err != nil:
		return nil, err
	case z.block && code == lzwClear:
		z.reset()
		z.old, z.width, z.group = -1, lzwMin, nil
		return nil, nil
	case z.old < 0 && code > 255, z.old >= 0 && code > z.next:
		return nil, errLZW
	}
	text := z.emit(code)
	if z.old >= 0 && z.next < 1<<z.most {
		z.prefix[z.next], z.suffix[z.next] = uint16(z.old), z.first
		z.next++
	}
	z.old = code
	return text, nil
}

// emit returns the string of code. It follows the prefixes of code from its last byte to its first. A code that is not in the table yet is the string of the previous code
// and its first byte.
func (z *unlzw) emit(code int) []byte {
	i := len(z.work)
	if code == z.next && z.old >= 0 {
		i--
		z.work[i] = z.first
		code = z.old
	}
	for code > 255 {
		i--
		z.work[i] = z.suffix[code]
		code = int(z.prefix[code])
	}
	i--
	z.work[i] = byte(code)
	z.first = byte(code)
	return z.work[i:]
}

// code reads the next code. Eight codes of one width form a group, which has as many bytes as a code has bits.
func (z *unlzw) code() (int, error) {
	if z.next >= 1<<z.width && z.width < z.most {
		z.width, z.group = z.width+1, nil
	}
	if z.bit+z.width > uint(len(z.group))*8 || z.group == nil {
		n, err := io.ReadFull(z.in, z.buf[:z.width])
		if err != nil && err != io.ErrUnexpectedEOF {
			return 0, err
		}
		z.group, z.bit = z.buf[:n], 0
		if uint(n)*8 < z.width {
			return 0, z.rest()
		}
	}
	b := z.buf[z.bit/8:]
	code := (int(b[0]) | int(b[1])<<8 | int(b[2])<<16) >> (z.bit % 8) & (1<<z.width - 1)
	z.bit += z.width
	return code, nil
}

// rest checks the end within a group: the rest of it must be zeros, which pad the last byte.
func (z *unlzw) rest() error {
	for _, b := range z.group {
		if b != 0 {
			return io.ErrUnexpectedEOF
		}
	}
	return io.EOF
}
