package fetch

import (
	"io"
	"os"
)

// plainly is how much of a body is copied through a buffer before splicing pays: its pipe costs four system calls.
const plainly = 4 * copySize

// WritePiece moves at most most octets to w and returns io.EOF at the end of the connection. A long body on a plain connection
// that nobody traces goes from the socket into a file or pipe without passing through this process, where the system can.
func (c *Conn) WritePiece(w io.Writer, most int64) (int64, error) {
	if f, ok := w.(*os.File); ok && c.moved >= plainly && c.reader.buffered() == 0 && c.canSplice() {
		if n, err, ok := c.spliceTo(f, most); ok {
			return n, err
		}
	}
	if c.tls != nil && c.moved >= plainly {
		c.raw.ahead.from = c.client
	}
	buf := c.client.buffer()
	defer c.client.buffers.Put(buf)
	n, err := c.Read(buf[:min(most, copySize)])
	c.moved += int64(n)
	if n > 0 {
		if m, werr := w.Write(buf[:n]); werr != nil {
			return int64(m), werr
		}
	}
	return int64(n), err
}

// canSplice: the octets are wanted by nobody else on the way.
func (c *Conn) canSplice() bool {
	e := c.env()
	return c.tls == nil && (e == nil || e.trace == nil)
}
