package fetch

import (
	"io"
	"os"

	"example.org/deref/fetch/internal/socket"
)

// plainly is how much of a body is copied through a buffer before splicing pays: its pipe costs four system calls.
const plainly = 4 * socket.BufferSize

// WritePiece moves at most most bytes to w. It returns io.EOF at the end of the connection. If the system can, a long body on a connection
// without TLS and trace goes from the socket into a file or pipe without passing through this process: 64 MiB into a file in memory take 1.4 times
// as long through a buffer (BenchmarkBulkToFile).
func (c *Conn) WritePiece(w io.Writer, most int64) (int64, error) {
	if f, ok := w.(*os.File); ok && c.moved >= plainly && c.reader.buffered() == 0 && c.canSplice() {
		if n, err, ok := c.splice.Move(c.raw, f, most, spliceWatch{c}); ok {
			return n, err
		}
	}
	if c.tls != nil && c.moved >= plainly {
		c.raw.ReadAhead(c.buffers)
	}
	buf := c.buffers.Get()
	defer c.buffers.Put(buf)
	n, err := c.Read(buf[:min(most, socket.BufferSize)])
	c.moved += int64(n)
	if n > 0 {
		if m, werr := w.Write(buf[:n]); werr != nil {
			return int64(m), werr
		}
	}
	return int64(n), err
}

// canSplice reports whether nothing in this process wants the bytes.
func (c *Conn) canSplice() bool {
	r := c.working()
	return c.tls == nil && (r == nil || !r.isTraced())
}

// pull reads from the connection: all TLS records that have arrived if p has room for several.
func (c *Conn) pull(p []byte) (int, error) {
	if c.tls == nil || len(p) < socket.BufferSize {
		return c.net.Read(p)
	}
	return c.raw.ReadArrived(c.net, p)
}

// A spliceWatch applies Read's deadlines and limits to bytes that the system moves.
type spliceWatch struct{ c *Conn }

func (w spliceWatch) Before() error         { return w.c.beforeRead() }
func (w spliceWatch) Repeat(err error) bool { return w.c.hasArrived(err) }

func (w spliceWatch) After(n int, err error) error {
	return w.c.endOfReply(w.c.finishRead(n, err))
}

func (w spliceWatch) Err() error {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	return w.c.dead
}

// OnUrgent makes Read call handle for each byte that the peer sends as urgent data, as soon as the byte after it is read. If handle returns
// true, unread bytes sent before it are dropped. OnUrgent reports whether urgent data can be recognized: on a connection of the Client's
// own Dialer, and inside TLS, it cannot.
func (c *Conn) OnUrgent(handle func(b byte) (drop bool)) bool {
	return c.tls == nil && c.raw.OnUrgent(handle)
}

// AckAtOnce makes the system acknowledge what arrives next without delay, where it can. It is for servers that send a response in several parts
// and wait for the acknowledgement of one before they send the next (Nagle's algorithm, RFC 9293 section 3.7.4). Sending ends it.
func (c *Conn) AckAtOnce() { c.raw.AckAtOnce() }
