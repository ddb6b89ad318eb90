package news

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
)

// A lineConn sends and receives lines that end with CRLF, and texts of such lines (RFC 3977 section 3). It has its own buffer because the
// next reply of a pipeline follows a text directly.
type lineConn struct {
	conn    *fetch.Conn
	in      io.Reader // the connection, or its decompressor
	out     *deflater // nil without compression
	buf     []byte
	r, w    int
	maxLine int

	unstuffed func() // strict mode: reports a line of a text that begins with one dot; else nil
}

// Bounds of the buffer. It grows as long as single reads fill it, and further only for long lines.
const (
	firstBuffer = 4 << 10
	wholeBuffer = 64 << 10
)

func newLineConn(c *fetch.Conn, maxLine int) *lineConn {
	return &lineConn{conn: c, in: c, buf: make([]byte, firstBuffer), maxLine: maxLine}
}

// buffered returns the bytes that have arrived and were not consumed.
func (w *lineConn) buffered() []byte { return w.buf[w.r:w.w] }

// fill makes room and reads once.
func (w *lineConn) fill() error {
	switch {
	case w.r == w.w:
		if w.w == len(w.buf) && len(w.buf) < wholeBuffer {
			w.buf = make([]byte, 2*len(w.buf))
		}
		w.r, w.w = 0, 0
	case w.w == len(w.buf) && w.r > 0:
		w.w = copy(w.buf, w.buf[w.r:w.w])
		w.r = 0
	case w.w == len(w.buf):
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
	n, err := w.in.Read(w.buf[w.w:])
	w.w += n
	if n > 0 {
		return nil
	}
	if err == nil {
		return io.ErrNoProgress
	}
	return err
}

// readLine returns the next line without its end, valid until the next call. It accepts a bare LF, which is harmless outside texts.
func (w *lineConn) readLine() ([]byte, error) {
	for scanned := 0; ; {
		if i := bytes.IndexByte(w.buf[w.r+scanned:w.w], '\n'); i >= 0 {
			line := w.buf[w.r : w.r+scanned+i]
			w.r += scanned + i + 1
			if w.maxLine > 0 && len(line) > w.maxLine {
				return nil, tooLong(w.maxLine)
			}
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		scanned = w.w - w.r
		if w.maxLine > 0 && scanned > w.maxLine {
			return nil, tooLong(w.maxLine)
		}
		if err := w.fill(); err != nil {
			return nil, err
		}
	}
}

// peekLine waits for a whole line without consuming it.
func (w *lineConn) peekLine() ([]byte, error) {
	line, err := w.readLine()
	if err != nil {
		return nil, err
	}
	end := 1
	if w.r >= 2 && w.buf[w.r-2] == '\r' {
		end = 2
	}
	w.r -= len(line) + end
	return line, nil
}

func tooLong(most int) error {
	return fetch.Errorf(fetch.ErrLimit, "a line is longer than %d bytes", most)
}

// send sends steps in one write.
func (w *lineConn) send(steps []fetch.Step) error {
	if w.out != nil {
		return w.conn.SendAs(w.out.lines, steps...)
	}
	return w.conn.Send(steps...)
}

// body announces a step, and returns the Writer for the text of the step.
func (w *lineConn) body(step fetch.Step) (io.Writer, error) {
	raw, err := w.conn.SendBody(step)
	if err != nil || w.out == nil {
		return raw, err
	}
	return deflating{w.out, raw}, nil
}
