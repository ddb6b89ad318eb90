package news

import (
	"bytes"

	"example.org/deref/fetch"
)

// A lineConn sends and receives lines that end with CRLF, and texts of such lines (RFC 3977 section 3).
type lineConn struct {
	conn    *fetch.Conn
	in      source
	maxLine int

	unstuffed func() // strict mode: reports a line of a text that begins with one dot; else nil
}

// A source is a fetch.Conn: Peek returns all that has arrived, since the next reply of a pipeline follows a text directly.
type source interface {
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	Buffered() int
}

// buffered returns the bytes that have arrived and were not consumed.
func (w *lineConn) buffered() []byte {
	b, _ := w.in.Peek(0)
	return b
}

// consume takes n of the buffered bytes, which stay valid until the next fill.
func (w *lineConn) consume(n int) { w.in.Discard(n) }

// fill waits for more than what is buffered.
func (w *lineConn) fill() error {
	_, err := w.in.Peek(w.in.Buffered() + 1)
	return err
}

// readLine returns the next line without its end, valid until the next call. It accepts a bare LF, which is harmless outside texts.
func (w *lineConn) readLine() ([]byte, error) {
	line, err := w.peekLine()
	if err != nil {
		return nil, err
	}
	w.consume(len(line))
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

// peekLine waits for a whole line, and returns it with its end. It consumes nothing.
func (w *lineConn) peekLine() ([]byte, error) {
	for scanned := 0; ; {
		b := w.buffered()
		i := bytes.IndexByte(b[scanned:], '\n')
		if n := scanned + i; w.maxLine > 0 && (i < 0 && len(b) > w.maxLine || i >= 0 && n > w.maxLine) {
			return nil, tooLong(w.maxLine)
		}
		if i >= 0 {
			return b[:scanned+i+1], nil
		}
		scanned = len(b)
		if err := w.fill(); err != nil {
			return nil, err
		}
	}
}

func tooLong(most int) error {
	return fetch.Errorf(fetch.ErrLimit, "a line is longer than %d bytes", most)
}
