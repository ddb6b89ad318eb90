package gopher

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/lineproto"
)

// Limits of the buffer of a textBody. It begins with headLen, and grows to textBuffer while single reads fill it. It grows
// further only while it is unknown whether the text is dot-stuffed.
const (
	textBuffer = 64 << 10
	maxHeld    = 8 << 20
)

// A textBody removes what the grammar of RFC 1436 (Appendix, "Lastline") adds to documents of lines: the line of one dot at the very end, and, if
// there is one, the first of two dots at the beginning of a line. Real servers add neither, or only the last line, and send texts with
// lines of one dot in their middle. So the text ends where the connection ends, never at the first such line.
//
// Whether a line with two dots is stuffed is known only at the end, or as soon as another line begins with one dot, which shows that
// nothing is stuffed. Until then the text is held back from the first line with two dots on.
type textBody struct {
	*pieces.Reader
	io.Closer
	src     io.Reader
	doc     *fetch.Document // its End is corrected when the last line is found; may be nil
	maxLine int             // in bytes, 0 for no limit
	line    int             // bytes of the current line

	what   string   // "text" or "menu"
	strict reporter // nil unless RFC 1436 applies and deviations are reported
	ends   lineproto.LineEnds

	buf   []byte
	out   int // buf[:out] was returned
	ready int // buf[:ready] may be returned
	seen  int // buf[:seen] was scanned; the rest may be the last line, or is empty
	bol   bool
	held  int  // where the first line with two dots begins, -1 if there is none
	plain bool // nothing is stuffed
	over  bool // too much was held back to find out
	err   error
}

func newTextBody(c io.ReadCloser, d *fetch.Document, maxLine int, strict reporter) *textBody {
	t := &textBody{Closer: c, src: c, doc: d, maxLine: maxLine, what: "text", strict: strict, bol: true, held: -1}
	t.Reader = pieces.NewReader(t.next)
	if d != nil && d.Type == menuType {
		t.what = "menu"
	}
	return t
}

// next returns what may be returned. If there is nothing, it reads once.
func (t *textBody) next() ([]byte, error) {
	if t.out == t.ready && t.err == nil {
		t.makeRoom()
		n, err := t.src.Read(t.buf[len(t.buf):cap(t.buf)])
		t.buf = t.buf[:len(t.buf)+n]
		t.received(n)
		if err != nil && t.err == nil {
			t.finish(err)
		}
	}
	if t.out == t.ready {
		return nil, t.err
	}
	p := t.buf[t.out:t.ready]
	t.out = t.ready
	return p, nil
}

// makeRoom makes room for a read. It drops what was returned, and enlarges the buffer if it is still full, or was filled by one read.
func (t *textBody) makeRoom() {
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

// received scans the last n bytes of the buffer.
func (t *textBody) received(n int) {
	if t.strict != nil {
		if wrong := t.ends.Wrong(t.buf[len(t.buf)-n:]); wrong != "" {
			t.strict(textRule, "a line of the "+t.what, "%s", wrong)
		}
	}
	if t.tooLong(t.buf[len(t.buf)-n:]) {
		t.err = fetch.Errorf(fetch.ErrLimit, "a line is longer than %d bytes", t.maxLine)
		return
	}
	t.scan()
	if !t.plain && t.held >= 0 && len(t.buf)-t.held > maxHeld {
		t.plain, t.over = true, true
	}
	t.ready = t.seen
	if !t.plain && t.held >= 0 {
		t.ready = t.held
	}
}

// tooLong reports whether a line is longer than the limit.
func (t *textBody) tooLong(p []byte) bool {
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		t.line = 0
		p = p[i+1:]
	}
	t.line += len(p)
	return t.maxLine > 0 && t.line > t.maxLine
}

// scan scans the lines that begin with a dot. It stops before one that may be the last line of the document.
func (t *textBody) scan() {
	for t.seen < len(t.buf) {
		rest := t.buf[t.seen:]
		if t.bol && rest[0] == '.' {
			if isLastLine(rest) {
				return
			}
			if rest[1] != '.' {
				if t.plain = true; t.strict != nil {
					t.strict(textRule, "the "+t.what, "a line that begins with one dot")
				}
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

// isLastLine reports whether p, which begins with a dot at the beginning of a line, may be or become the last line.
func isLastLine(p []byte) bool {
	switch string(p) {
	case ".", ".\r", ".\n", ".\r\n":
		return true
	}
	return false
}

// finish handles the rest of the buffer after the document has ended with err.
func (t *textBody) finish(err error) {
	closed := err == io.EOF && t.seen < len(t.buf)
	if t.strict != nil && err == io.EOF && !closed {
		t.strict(textRule, "the end of the "+t.what, "no line of one dot")
	}
	if closed {
		if t.doc != nil && t.buf[len(t.buf)-1] == '\n' { // a dot without a line end may be the beginning of a longer line
			t.doc.End = fetch.EndTerminated
		}
		t.buf = t.buf[:t.seen]
	}
	if closed && !t.plain && t.held >= 0 {
		t.buf = unstuff(t.buf, t.held)
	}
	if closed && t.over {
		err = fetch.Errorf(fetch.ErrLimit, "it takes more than %d bytes to find out whether the dots of the text are doubled", maxHeld)
	}
	t.seen, t.ready, t.held, t.err = len(t.buf), len(t.buf), -1, err
}

// unstuff removes one dot of each line that begins with two. from is the beginning of a line.
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
