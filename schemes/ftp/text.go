package ftp

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/lineproto"
)

// text is a body in TYPE A with the line ends of this system: CR LF becomes LF, everything else is unchanged (RFC 959 §3.1.1.1).
type text struct {
	in   io.Reader
	buf  []byte
	env  *fetch.Env // for strict mode; nil in tests of other things
	held int        // 1 if a CR that may be half of a line end was held back, which buf begins with
	ends lineproto.LineEnds
}

// textSize is as much as a read of a socket usually returns.
const textSize = 16 << 10

func newText(in io.ReadCloser, env *fetch.Env) io.ReadCloser {
	t := &text{in: in, buf: make([]byte, textSize), env: env}
	return fetch.NewBody(pieces.NewReader(t.next), in.Close)
}

// next returns converted bytes.
func (t *text) next() ([]byte, error) {
	t.buf[0] = '\r'
	n, err := t.in.Read(t.buf[t.held:])
	t.strict(t.buf[t.held : t.held+n])
	p := t.buf[:t.held+n]
	t.held = 0
	if err != io.EOF && bytes.HasSuffix(p, []byte("\r")) {
		p, t.held = p[:len(p)-1], 1
	}
	return bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n")), err
}
