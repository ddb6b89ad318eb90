package news

import "example.org/deref/fetch"

// A lineConn receives replies, and the texts that follow them (RFC 3977 section 3).
type lineConn struct {
	conn   *fetch.Conn
	in     source
	peeked *reply // which readReply returns next, or nil

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
