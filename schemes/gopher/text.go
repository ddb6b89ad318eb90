package gopher

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
)

// Bounds of a text's buffer. It begins with what the answer has read ahead, grows while that is filled by single reads, and
// further only while it is undecided whether the text is stuffed.
const (
	textBuffer = 64 << 10
	mostHeld   = 8 << 20
)

// A text takes away what RFC 1436 §3.7 and its "Lastline" add to documents of lines: the line of one dot at the very end, and where that
// was there, one of the two dots with which a line then begins. Real servers add neither, or only the last line, and send texts
// that have lines of one dot in their middle; so the end is where the connection ends, never the first such line.
//
// Whether a line with two dots was stuffed is known at the end only, or as soon as a line with one dot and more shows that
// nothing is. From the first line with two dots until then the text is held back.
type text struct {
	src   io.Reader
	close func() error
	doc   *fetch.Document // its End is corrected when the last line is seen; may be nil
	most  int             // octets of a line, 0 no limit
	line  int             // octets of the line that is being received

	buf   []byte
	out   int // buf[:out] has been given out
	ready int // buf[:ready] may be given out
	seen  int // buf[:seen] has been looked at; a line that may be the last begins here, or nothing does
	bol   bool
	held  int  // the first line with two dots begins here, -1 none
	plain bool // nothing is stuffed
	over  bool // held too much to find out
	err   error
}

func newText(a *answer, d *fetch.Document, mostLine int) *text {
	t := &text{src: a, close: a.Close, doc: d, most: mostLine, bol: true, held: -1}
	t.buf, a.ahead = a.ahead, nil
	t.came(len(t.buf))
	return t
}

func (t *text) Read(p []byte) (int, error) {
	if err := t.await(); err != nil {
		return 0, err
	}
	n := copy(p, t.buf[t.out:t.ready])
	t.out += n
	return n, nil
}

// WritePiece writes out of the buffer.
func (t *text) WritePiece(w io.Writer, most int64) (int64, error) {
	if err := t.await(); err != nil {
		return 0, err
	}
	n, err := w.Write(t.buf[t.out:min(t.ready, t.out+int(most))])
	t.out += n
	return int64(n), err
}

func (t *text) Close() error { return t.close() }

// await reads until there is something to give out.
func (t *text) await() error {
	for t.out == t.ready {
		if t.err != nil {
			return t.err
		}
		t.room()
		n, err := t.src.Read(t.buf[len(t.buf):cap(t.buf)])
		t.buf = t.buf[:len(t.buf)+n]
		t.came(n)
		if err != nil && t.err == nil {
			t.finish(err)
		}
	}
	return nil
}

// room makes room for a read: by dropping what was given out, and if the buffer is full all the same, or was filled by one read,
// by making it larger.
func (t *text) room() {
	full := len(t.buf) == cap(t.buf)
	n := len(t.buf) - t.out
	if t.out > 0 {
		copy(t.buf, t.buf[t.out:])
		t.buf = t.buf[:n]
		t.ready, t.seen, t.held = t.ready-t.out, t.seen-t.out, max(t.held-t.out, -1)
		t.out = 0
	}
	if full && (n > cap(t.buf)/2 || cap(t.buf) < textBuffer) {
		t.buf = append(make([]byte, 0, max(2*cap(t.buf), headLen)), t.buf...)
	}
}

// came looks at the last n octets of the buffer.
func (t *text) came(n int) {
	if t.tooLong(t.buf[len(t.buf)-n:]) {
		t.err = fetch.Errorf(fetch.ErrLimit, "a line is longer than %d octets", t.most)
		return
	}
	t.scan()
	if !t.plain && t.held >= 0 && len(t.buf)-t.held > mostHeld {
		t.plain, t.over = true, true
	}
	t.ready = t.seen
	if !t.plain && t.held >= 0 {
		t.ready = t.held
	}
}

// tooLong keeps the limit of lines.
func (t *text) tooLong(p []byte) bool {
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		t.line = 0
		p = p[i+1:]
	}
	t.line += len(p)
	return t.most > 0 && t.line > t.most
}

// scan goes from one line that begins with a dot to the next. It stops before one that may be the last of the document.
func (t *text) scan() {
	for t.seen < len(t.buf) {
		rest := t.buf[t.seen:]
		if t.bol && rest[0] == '.' {
			if isLastLine(rest) {
				return
			}
			if rest[1] != '.' {
				t.plain = true
			} else if t.held < 0 {
				t.held = t.seen
			}
		}
		if i := bytes.Index(rest, []byte("\n.")); i >= 0 {
			t.seen, t.bol = t.seen+i+1, true
		} else {
			t.seen, t.bol = len(t.buf), rest[len(rest)-1] == '\n'
		}
	}
}

// isLastLine reports whether p, from a dot at the beginning of a line up to what has come, may be or become the closing line.
func isLastLine(p []byte) bool {
	switch string(p) {
	case ".", ".\r", ".\n", ".\r\n":
		return true
	}
	return false
}

// finish decides what was left open, now that the document has ended with err.
func (t *text) finish(err error) {
	closed := err == io.EOF && t.seen < len(t.buf)
	if closed {
		if t.doc != nil && t.buf[len(t.buf)-1] == '\n' { // a dot without its line end may be the beginning of something
			t.doc.End = fetch.EndTerminated
		}
		t.buf = t.buf[:t.seen]
	}
	if closed && !t.plain && t.held >= 0 {
		t.buf = unstuff(t.buf, t.held)
	}
	if closed && t.over {
		err = fetch.Errorf(fetch.ErrLimit, "more than %d octets would have to be held to tell whether the text's lines of dots were doubled", mostHeld)
	}
	t.seen, t.ready, t.held, t.err = len(t.buf), len(t.buf), -1, err
}

// unstuff takes one dot from each line that begins with two, from the beginning of a line on.
func unstuff(p []byte, from int) []byte {
	out, bol := from, true
	for i := from; i < len(p); i++ {
		if bol && p[i] == '.' && i+1 < len(p) && p[i+1] == '.' {
			i++
		}
		bol = p[i] == '\n'
		p[out] = p[i]
		out++
	}
	return p[:out]
}
