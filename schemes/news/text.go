package news

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
)

// A source is a fetch.Conn: Peek returns all that has arrived, since the next reply of a pipeline follows a text directly.
type source interface {
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	Buffered() int
}

// buffered returns the bytes that have arrived and were not discarded. They stay valid until more are read.
func (s *session) buffered() []byte {
	b, _ := s.in.Peek(0)
	return b
}

// A text is the multi-line block that follows some replies: its last line is a single dot, and other lines that begin with a dot have a
// second one (RFC 3977 section 3.1.1). Only CRLF ends a line here: a lone dot between bare LFs belongs to an article, and treating it as
// the end would treat the rest of the article as replies.
type text struct {
	s    *session
	mid  bool // within a line
	err  error
	over func(err error) // called once with the error that ended the text: io.EOF after the last line
}

func newText(s *session, over func(error)) *text {
	s.conn.BeginBody()
	return &text{s: s, over: over}
}

// next returns the next piece of the text without dot-stuffing, valid until the next call. At the end it returns io.EOF.
func (t *text) next() ([]byte, error) {
	if t.err != nil {
		return nil, t.err
	}
	for {
		if p := t.piece(); len(p) > 0 {
			return p, nil
		}
		if t.err == nil {
			if _, err := t.s.in.Peek(t.s.in.Buffered() + 1); err != nil {
				t.end(broken(err))
			}
		}
		if t.err != nil {
			return nil, t.err
		}
	}
}

// piece returns what is in the buffer, or nil if more is needed.
func (t *text) piece() []byte {
	for {
		b := t.s.buffered()
		switch {
		case len(b) == 0:
			return nil
		case t.mid || b[0] != '.':
			return t.lines(b)
		case bytes.HasPrefix(b, []byte(".\r\n")):
			t.s.in.Discard(len(".\r\n"))
			t.end(io.EOF)
			return nil
		case len(b) < 3 && bytes.HasPrefix([]byte(".\r\n"), b):
			return nil
		}
		if b[1] != '.' {
			t.s.notStuffed()
		}
		t.s.in.Discard(1)
		t.mid = true
	}
}

// lines returns everything up to the next line that begins with a dot.
func (t *text) lines(b []byte) []byte {
	if i := bytes.Index(b, []byte("\r\n.")); i >= 0 {
		t.s.in.Discard(i + 2)
		t.mid = false
		return b[:i+2]
	}
	n := len(b)
	t.mid = true
	switch {
	case bytes.HasSuffix(b, []byte("\r\n")):
		t.mid = false
	case b[n-1] == '\r':
		n-- // half of a line end, perhaps
	}
	t.s.in.Discard(n)
	return b[:n]
}

func (t *text) end(err error) {
	t.err = err
	if t.over != nil {
		t.over(err)
		t.over = nil
	}
}

// broken sets the Kind of the end of the connection within a text.
func broken(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fetch.Errorf(fetch.ErrTruncated, "the connection ended within a text: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// A body is the Body of a Document that reads a text.
type body struct {
	*text
	ahead []byte // of the text, not yet returned
	count int64  // lines that were returned
}

// text returns the text that follows. The connection stays in use after it.
func (r *run) text() *body {
	return &body{text: newText(r.s, func(err error) {
		if err != io.EOF {
			r.end(err)
		}
	})}
}

// Read returns io.EOF after the last line.
func (b *body) Read(p []byte) (n int, err error) {
	if len(b.ahead) == 0 {
		if b.ahead, err = b.next(); err != nil {
			return 0, err
		}
		b.count += int64(bytes.Count(b.ahead, []byte("\n")))
	}
	n = copy(p, b.ahead)
	b.ahead = b.ahead[n:]
	return n, nil
}

// Close abandons the text unless it has ended.
func (b *body) Close() error {
	b.ahead = nil
	if b.err == nil {
		b.end(io.ErrClosedPipe)
	}
	return nil
}
