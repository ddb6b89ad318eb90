package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"example.org/deref/fetch"
)

// dotted is a Body of lines that a line of one dot must end: the form "+-1" of Gopher+. Each line that begins with two dots loses
// one.
type dotted struct {
	*answer
	in   *bufio.Reader
	line []byte // what is left of the line, or of the part of it that has come
	mid  bool   // the next part does not begin a line
	err  error
}

func newDotted(a *answer) *dotted { return &dotted{answer: a, in: bufio.NewReaderSize(a, headLen)} }

func (d *dotted) Read(p []byte) (int, error) {
	for len(d.line) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.next()
	}
	n := copy(p, d.line)
	d.line = d.line[n:]
	return n, nil
}

// next reads a line, or as much of it as the buffer holds.
func (d *dotted) next() {
	part, err := d.in.ReadSlice('\n')
	begins := !d.mid
	d.mid = errors.Is(err, bufio.ErrBufferFull)
	switch {
	case err == nil || d.mid:
	case err == io.EOF:
		d.err = fetch.Errorf(fetch.ErrTruncated, "the line of one dot is missing that ends the document")
	default:
		d.err = err
	}
	if begins && len(part) > 0 && part[0] == '.' {
		if rest := bytes.TrimRight(part[1:], "\r\n"); len(rest) == 0 && !d.mid {
			part, d.err = nil, io.EOF
		} else if rest[0] == '.' {
			part = part[1:]
		}
	}
	d.line = part
}

// WritePiece hides the answer's own, which knows nothing of dots.
func (d *dotted) WritePiece(w io.Writer, most int64) (int64, error) {
	buf := make([]byte, min(most, headLen))
	n, err := d.Read(buf)
	if n > 0 {
		if m, err := w.Write(buf[:n]); err != nil {
			return int64(m), err
		}
	}
	return int64(n), err
}
