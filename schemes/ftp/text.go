package ftp

import (
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/lineproto"
)

// text is a body in TYPE A with the line ends of this system: CR LF becomes LF, everything else is unchanged (RFC 959 §3.1.1.1).
type text struct {
	in   io.Reader
	buf  []byte     // for a read and its conversion, with room for a CR that was held back
	env  *fetch.Env // for strict mode; nil in tests of other things
	cr   bool       // a CR that may be half of a line end
	ends lineproto.LineEnds
}

// textSize is as much as a read of a socket usually returns.
const textSize = 16 << 10

func newText(in io.ReadCloser, env *fetch.Env) io.ReadCloser {
	t := &text{in: in, buf: make([]byte, textSize+1), env: env}
	return fetch.NewBody(pieces.NewReader(t.next), in.Close)
}

// next returns converted bytes.
func (t *text) next() ([]byte, error) {
	n, err := t.in.Read(t.buf[1:])
	p := t.buf[1 : 1+n]
	t.strict(p)
	return t.convert(t.buf[:0], p, err == io.EOF), err
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
