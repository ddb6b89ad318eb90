package lineproto

import (
	"bytes"
	"io"
)

// A LineReader reads a local text with the line ends of the network.
type LineReader struct {
	r   io.Reader
	w   *LineWriter
	out bytes.Buffer
	in  [4096]byte
	err error
}

// NewLineReader returns a LineReader that converts r as NewLineWriter does.
func NewLineReader(r io.Reader) *LineReader {
	c := &LineReader{r: r}
	c.w = NewLineWriter(&c.out)
	return c
}

// NewDoublingReader returns a LineReader that converts r as NewDoublingWriter does.
func NewDoublingReader(r io.Reader) *LineReader {
	c := &LineReader{r: r}
	c.w = NewDoublingWriter(&c.out)
	return c
}

func (c *LineReader) Read(p []byte) (int, error) {
	for c.out.Len() == 0 && c.err == nil {
		var n int
		n, c.err = c.r.Read(c.in[:])
		c.w.Write(c.in[:n]) // a bytes.Buffer does not fail
	}
	if c.out.Len() == 0 {
		return 0, c.err
	}
	return c.out.Read(p)
}
