// Package inflate decodes DEFLATE (RFC 1951) in a dialogue: it returns all output that the input determines before it waits for more input.
//
// compress/flate is more than ten times as fast but cannot be used. At the end of a block it waits for the header of the next one before it
// returns anything. A server that flushes its reply by an empty block of fixed codes (zlib's Z_PARTIAL_FLUSH; INN 2.7 does so) sends that
// header only with its next reply, so that the client would wait forever: see TestPartialFlush.
package inflate

import (
	"errors"
	"io"
)

// ErrCorrupt is the error of input that is not DEFLATE.
var ErrCorrupt = errors.New("corrupt compressed data")

// A Reader reads the decoded data.
type Reader struct {
	in   io.Reader
	buf  [4096]byte
	r, w int // buf[r:w] is unused input

	bits  uint32 // the next nbits bits
	nbits uint

	window    [windowSize]byte
	at, given int // total bytes written to the window, and returned from it
	state     state
	final     bool
	stored    int // bytes left of a stored block
	lit, dist code
	err       error
}

const windowSize = 32 << 10

type state int

const (
	atHeader state = iota
	inStored
	inCodes
)

// NewReader returns a Reader on in.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Upper bounds of the input of one step: a symbol with its distance, and the header of a block with its codes.
const (
	symbolBytes = 7
	headerBytes = 400
	maxMatch    = 258
)

// Read returns io.EOF after the final block.
func (z *Reader) Read(p []byte) (int, error) {
	for z.err == nil && z.at-z.given < len(p) && z.at-z.given+maxMatch <= windowSize && !z.mustReturn() {
		z.err = z.step()
	}
	n := 0
	for n < len(p) && z.given < z.at {
		p[n] = z.window[z.given%windowSize]
		n, z.given = n+1, z.given+1
	}
	if n == 0 {
		return 0, z.err
	}
	return n, nil
}

// mustReturn reports whether there is output, and the next step might have to wait for input.
func (z *Reader) mustReturn() bool {
	need := symbolBytes
	if z.state == atHeader {
		need = headerBytes
	}
	return z.at > z.given && z.w-z.r < need
}

func (z *Reader) step() error {
	switch z.state {
	case inStored:
		return z.copyStored()
	case inCodes:
		return z.symbol()
	}
	return z.header()
}

// nextByte returns the next byte of input.
func (z *Reader) nextByte() (byte, error) {
	for z.r == z.w {
		n, err := z.in.Read(z.buf[:])
		z.r, z.w = 0, n
		if n == 0 && err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
	c := z.buf[z.r]
	z.r++
	return c, nil
}

// take returns n bits, at most 16.
func (z *Reader) take(n uint) (int, error) {
	for z.nbits < n {
		c, err := z.nextByte()
		if err != nil {
			return 0, err
		}
		z.bits |= uint32(c) << z.nbits
		z.nbits += 8
	}
	v := z.bits & (1<<n - 1)
	z.bits >>= n
	z.nbits -= n
	return int(v), nil
}

func (z *Reader) put(c byte) {
	z.window[z.at%windowSize] = c
	z.at++
}

// header reads the header of a block: RFC 1951 section 3.2.3.
func (z *Reader) header() error {
	if z.final {
		return io.EOF
	}
	v, err := z.take(3)
	if err != nil {
		return err
	}
	z.final = v&1 == 1
	switch v >> 1 {
	case 0:
		return z.storedHeader()
	case 1:
		z.state = inCodes
		return z.fixed()
	case 2:
		z.state = inCodes
		return z.dynamic()
	}
	return ErrCorrupt
}

func (z *Reader) storedHeader() error {
	z.bits, z.nbits = 0, 0 // skip to the next byte; nbits is at most 7 here
	n, err := z.take(16)
	if err != nil {
		return err
	}
	c, err := z.take(16)
	if err != nil {
		return err
	}
	if n != ^c&0xffff {
		return ErrCorrupt
	}
	z.stored = n
	if n > 0 {
		z.state = inStored
	}
	return nil
}

func (z *Reader) copyStored() error {
	c, err := z.nextByte()
	if err != nil {
		return err
	}
	z.put(c)
	if z.stored--; z.stored == 0 {
		z.state = atHeader
	}
	return nil
}

// symbol decodes a literal, a length with its distance, or the end of the block: RFC 1951 section 3.2.5.
func (z *Reader) symbol() error {
	s, err := z.decode(&z.lit)
	switch {
	case err != nil:
		return err
	case s < 256:
		z.put(byte(s))
		return nil
	case s == 256:
		z.state = atHeader
		return nil
	case s > 285:
		return ErrCorrupt
	}
	length, err := z.extended(s-257, &lengthBase, &lengthBits)
	if err != nil {
		return err
	}
	d, err := z.decode(&z.dist)
	if err != nil {
		return err
	}
	if d > 29 {
		return ErrCorrupt
	}
	back, err := z.extended(d, &distanceBase, &distanceBits)
	if err != nil {
		return err
	}
	if back > z.at || back > windowSize {
		return ErrCorrupt
	}
	for range length {
		z.put(z.window[(z.at-back)%windowSize])
	}
	return nil
}

// extended reads the extra bits that follow a code, and adds them to its base value.
func (z *Reader) extended(i int, base *[30]uint16, bits *[30]uint8) (int, error) {
	v, err := z.take(uint(bits[i]))
	return int(base[i]) + v, err
}
