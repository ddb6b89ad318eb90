package save

import "io"

// A counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// A collector makes few long writes of many short ones.
type collector struct {
	w   io.Writer
	buf []byte
}

func (c *collector) Write(p []byte) (int, error) {
	if c.buf == nil {
		c.buf = make([]byte, 0, smallSize/2)
	}
	if len(c.buf)+len(p) > cap(c.buf) {
		if err := c.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) >= cap(c.buf) {
		return c.w.Write(p)
	}
	c.buf = append(c.buf, p...)
	return len(p), nil
}

func (c *collector) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	_, err := c.w.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}
