package pieces

import "io"

// A CountWriter counts the bytes written to W.
type CountWriter struct {
	W io.Writer
	N int64
}

func (c *CountWriter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.N += int64(n)
	return n, err
}

// ReadFrom lets the system copy one file into another.
func (c *CountWriter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.W, r)
	c.N += n
	return n, err
}

// A CountReader counts the bytes read from R.
type CountReader struct {
	R io.Reader
	N int64
}

func (c *CountReader) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.N += int64(n)
	return n, err
}
