package fetch

import "io"

// WritePiece moves at most most octets to w and returns io.EOF at the end of the connection: a Conn can stand under any Body.
func (c *Conn) WritePiece(w io.Writer, most int64) (int64, error) {
	buf := c.client.buffer()
	defer c.client.buffers.Put(buf)
	n, err := c.Read(buf[:min(most, copySize)])
	if n > 0 {
		if m, werr := w.Write(buf[:n]); werr != nil {
			return int64(m), werr
		}
	}
	return int64(n), err
}
