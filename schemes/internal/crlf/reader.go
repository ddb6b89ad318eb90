package crlf

import (
	"bytes"
	"io"
)

// A Reader reads a local text with the line ends of the network.
type Reader struct {
	r   io.Reader
	w   *Writer
	out bytes.Buffer
	in  [4096]byte
	err error
}

// NewReader returns a Reader that converts r as NewWriter does.
func NewReader(r io.Reader) *Reader {
	c := &Reader{r: r}
	c.w = NewWriter(&c.out)
	return c
}

// NewDoublingReader returns a Reader that converts r as NewDoublingWriter does.
func NewDoublingReader(r io.Reader) *Reader {
	c := &Reader{r: r}
	c.w = NewDoublingWriter(&c.out)
	return c
}

func (c *Reader) Read(p []byte) (int, error) {
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
