// Package count counts the bytes that pass through a reader or a writer.
package count

import "io"

// A Writer counts the bytes written to W.
type Writer struct {
	W io.Writer
	N int64
}

func (c *Writer) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.N += int64(n)
	return n, err
}

// ReadFrom lets the system copy one file into another.
func (c *Writer) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.W, r)
	c.N += n
	return n, err
}

// A Reader counts the bytes read from R.
type Reader struct {
	R io.Reader
	N int64
}

func (c *Reader) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.N += int64(n)
	return n, err
}
