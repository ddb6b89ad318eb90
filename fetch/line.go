package fetch

import (
	"bytes"
	"io"
	"sync"
)

// lineBuffer holds what was read beyond the lines that were requested.
type lineBuffer struct {
	buf  []byte
	r, w int
	lf   bool       // the last line ended with LF alone
	told int        // the trace has the bytes up to here. Whether bytes belong to a line or a body is known only when they are read
	mu   sync.Mutex // guards told, and changes of buf and w: Close traces the rest while another goroutine may be reading
}

// Bounds of the buffer. It grows as long as single reads fill it, and further only for long lines.
const (
	firstBuffer = 4 << 10
	wholeBuffer = 64 << 10
)

func (b *lineBuffer) buffered() int { return b.w - b.r }

// take does not write to b if b is empty: a library may read while the pool looks at the connection.
func (b *lineBuffer) take(p []byte) int {
	if b.r == b.w {
		return 0
	}
	n := copy(p, b.buf[b.r:b.w])
	b.r += n
	return n
}

// tell adds the untraced bytes up to the offset to to the trace. A negative offset means all of them.
func (c *Conn) tell(to int) {
	b := &c.reader
	b.mu.Lock()
	defer b.mu.Unlock()
	if to < 0 {
		to = b.w
	}
	if b.told < to {
		c.report(&c.in, b.buf[b.told:to])
		b.told = to
	}
}

// ReadLine returns the next line without its CRLF or LF; it is valid until the next call. At the end of a body it returns io.EOF, or the
// unfinished line and io.ErrUnexpectedEOF. At the end of a reply it returns the errors that BeginReply describes. A line longer than Limits.Line
// is ErrLimit.
func (c *Conn) ReadLine() ([]byte, error) {
	b, most := &c.reader, c.limits.Line
	c.initLines()
	for scanned := 0; ; {
		if i := bytes.IndexByte(b.buf[b.r+scanned:b.w], '\n'); i >= 0 {
			line, crlf := bytes.CutSuffix(b.buf[b.r:b.r+scanned+i], []byte("\r"))
			b.lf = !crlf
			b.r += scanned + i + 1
			c.tell(b.r)
			if most > 0 && len(line) > most {
				return nil, Errorf(ErrLimit, "a line is longer than %d bytes", most)
			}
			return line, nil
		}
		scanned = b.buffered()
		if most > 0 && scanned > most+1 { // the CR of a line of the limit may be there without its LF
			return nil, Errorf(ErrLimit, "a line is longer than %d bytes", most)
		}
		if err := c.fill(); err != nil {
			if err == io.EOF && scanned > 0 {
				line := b.buf[b.r:b.w]
				b.r = b.w
				return line, io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

// BareLF reports whether the line that ReadLine has returned last ended with LF alone, which most specifications forbid and ReadLine accepts. It
// is for handlers whose lines LineEnds cannot describe.
func (c *Conn) BareLF() bool { return c.reader.lf }

// initLines makes the buffer before its first use.
func (c *Conn) initLines() {
	if b := &c.reader; b.buf == nil {
		b.mu.Lock()
		b.buf = make([]byte, firstBuffer)
		b.mu.Unlock()
	}
}

// fill reads once into the buffer. It makes room first.
func (c *Conn) fill() error {
	b := &c.reader
	b.mu.Lock()
	switch {
	case b.r == b.w:
		if b.w == len(b.buf) && len(b.buf) < wholeBuffer { // a read has filled it
			b.buf = make([]byte, 2*len(b.buf))
		}
		b.r, b.w, b.told = 0, 0, 0
	case b.w == len(b.buf) && b.r > 0:
		b.w = copy(b.buf, b.buf[b.r:b.w])
		b.r, b.told = 0, max(0, b.told-b.r)
	case b.w == len(b.buf):
		b.buf = append(b.buf, make([]byte, len(b.buf))...)
	}
	b.mu.Unlock()
	n, err := c.read(b.buf[b.w:], false)
	b.mu.Lock()
	b.w += n
	b.mu.Unlock()
	if n > 0 {
		return nil
	}
	if err == nil {
		return io.ErrNoProgress
	}
	return err
}

// Peek returns what has arrived and was not read yet, at least n bytes of it unless there is an error. It is valid until the next call.
// ReadLine, Read and WritePiece return the same bytes again unless Discard takes them, so that a handler may look at them before it knows whether they are a reply or a
// document.
func (c *Conn) Peek(n int) ([]byte, error) {
	b := &c.reader
	c.initLines()
	for b.buffered() < n {
		if err := c.fill(); err != nil {
			return b.buf[b.r:b.w], err
		}
	}
	return b.buf[b.r:b.w], nil
}

// Discard takes n bytes that Peek has returned; they stay valid until the next call. It takes at most what is Buffered, and returns
// io.ErrShortBuffer if that is less.
func (c *Conn) Discard(n int) (int, error) {
	b, have := &c.reader, c.reader.buffered()
	b.r += min(n, have)
	c.tell(b.r)
	if n > have {
		return have, io.ErrShortBuffer
	}
	return n, nil
}

// Buffered returns how many bytes ReadLine and Peek have read from the connection and no call has taken yet.
func (c *Conn) Buffered() int { return c.reader.buffered() }
