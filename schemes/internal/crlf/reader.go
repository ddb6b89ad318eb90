package crlf

import (
	"bytes"
	"io"
)

// Reader reads a local text with network line ends.
type Reader struct {
	r   io.Reader
	w   *Writer
	out bytes.Buffer
	in  [4096]byte
	err error
}

// NewReader converts what r gives as NewWriter would.
func NewReader(r io.Reader) *Reader {
	c := &Reader{r: r}
	c.w = NewWriter(&c.out)
	return c
}

// NewDoublingReader converts what r gives as NewDoublingWriter would.
func NewDoublingReader(r io.Reader) *Reader {
	c := &Reader{r: r}
	c.w = NewDoublingWriter(&c.out)
	return c
}

// Read gives converted octets.
func (c *Reader) Read(p []byte) (int, error) {
	for c.out.Len() == 0 && c.err == nil {
		var n int
		n, c.err = c.r.Read(c.in[:])
		c.w.Write(c.in[:n]) // a bytes.Buffer takes everything
	}
	if c.out.Len() == 0 {
		return 0, c.err
	}
	return c.out.Read(p)
}
