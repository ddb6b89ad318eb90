package ftp

import (
	"io"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
)

// text is a body in TYPE A with the line ends of this system: CR LF becomes LF, everything else is unchanged (RFC 959 §3.1.1.1).
type text struct {
	in  io.ReadCloser
	buf []byte     // for a read and its conversion, with room for a CR that was held back
	out []byte     // converted, not yet read
	env *fetch.Env // for strict mode; nil in tests of other things
	cr  bool       // a CR that may be half of a line end
	err error

	ends lineproto.LineEnds
}

// textSize is as much as a read of a socket usually returns.
const textSize = 16 << 10

// Read returns converted bytes.
func (t *text) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(t.out) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		if t.buf == nil {
			t.buf = make([]byte, textSize+1)
		}
		var n int
		n, t.err = t.in.Read(t.buf[1:])
		t.strict(t.buf[1 : 1+n])
		t.out = t.convert(t.buf[:0], t.buf[1:1+n], t.err == io.EOF)
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// convert appends in to out, which may begin one byte before it in the same memory.
func (t *text) convert(out, in []byte, last bool) []byte {
	for _, c := range in {
		if t.cr && c != '\n' {
			out = append(out, '\r')
		}
		if t.cr = c == '\r'; !t.cr {
			out = append(out, c)
		}
	}
	if last && t.cr {
		t.cr = false
		out = append(out, '\r')
	}
	return out
}

// Close abandons the transfer.
func (t *text) Close() error {
	if t.err == nil {
		t.err = io.ErrClosedPipe
	}
	t.out = nil
	return t.in.Close()
}
