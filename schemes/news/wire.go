package news

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
)

// wire is a connection as RFC 3977 section 3 uses it: lines that end with CR LF, and texts of such lines. It has a buffer of its own, since
// what follows a text in a flight is needed by whoever reads on.
type wire struct {
	conn    *fetch.Conn
	in      io.Reader // the connection, or what undoes its compression
	out     *deflater // nil where nothing is compressed
	buf     []byte
	r, w    int
	maxLine int
}

// Bounds of the buffer: it grows while single reads fill it, and further for lines alone.
const (
	firstBuffer = 4 << 10
	wholeBuffer = 64 << 10
)

func newWire(c *fetch.Conn, maxLine int) *wire {
	return &wire{conn: c, in: c, buf: make([]byte, firstBuffer), maxLine: maxLine}
}

// buffered are the octets that have come and were not yet asked for.
func (w *wire) buffered() []byte { return w.buf[w.r:w.w] }

// fill reads once, making room first.
func (w *wire) fill() error {
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

// readLine returns the next line without its end, valid until the next call. A bare LF ends a line too: it can do no harm outside texts.
func (w *wire) readLine() ([]byte, error) {
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

func tooLong(most int) error {
	return fetch.Errorf(fetch.ErrLimit, "a line is longer than %d octets", most)
}

// say says steps in one write.
func (w *wire) send(steps []fetch.Step) error {
	if w.out != nil {
		return w.conn.SendAs(w.out.lines, steps...)
	}
	return w.conn.Send(steps...)
}

// body announces a step, and returns the Writer for the text that it stands for.
func (w *wire) body(step fetch.Step) (io.Writer, error) {
	raw, err := w.conn.SendBody(step)
	if err != nil || w.out == nil {
		return raw, err
	}
	return deflating{w.out, raw}, nil
}
