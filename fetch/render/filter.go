package render

import (
	"bufio"
	"io"
)

// A filter leaves bytes out. drop reports whether a byte is left out, and skips what is left out with it.
type filter struct {
	in   *bufio.Reader
	drop func(in *bufio.Reader, c byte) bool
}

// Read waits only if it has nothing to return.
func (f *filter) Read(p []byte) (n int, err error) {
	for n < len(p) && (n == 0 || f.in.Buffered() > 0) {
		c, err := f.in.ReadByte()
		if err != nil {
			return n, err
		}
		if !f.drop(f.in, c) {
			p[n] = c
			n++
		}
	}
	return n, nil
}

const esc = 0x1b

// unmarked removes the highlighting marks of WAIS documents, as libwww and Lynx did: ESC "(" and ESC ")", and any other ESC with the four bytes
// after it.
func unmarked(r io.Reader) io.Reader {
	return &filter{bufio.NewReader(r), func(in *bufio.Reader, c byte) bool {
		if c != esc {
			return false
		}
		rest := 4
		if next, _ := in.Peek(1); string(next) == "(" || string(next) == ")" {
			rest = 1
		}
		in.Discard(rest) // the next ReadByte returns the same error
		return true
	}}
}
