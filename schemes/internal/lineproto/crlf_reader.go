package lineproto

import (
	"bytes"
	"io"

	"example.org/deref/fetch/pieces"
)

// NewLineReader returns a reader of a local text with the line ends of the network: it converts r as NewLineWriter does.
func NewLineReader(r io.Reader) io.Reader {
	var out bytes.Buffer // which returns no errors
	w, in := NewLineWriter(&out), make([]byte, 4096)
	return pieces.NewReader(func() ([]byte, error) {
		out.Reset()
		n, err := r.Read(in)
		w.Write(in[:n])
		return out.Bytes(), err
	})
}
