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
	if err := d.await(); err != nil {
		return 0, err
	}
	n := copy(p, d.line)
	d.line = d.line[n:]
	return n, nil
}

// WritePiece hides the answer's own, which knows nothing of dots.
func (d *dotted) WritePiece(w io.Writer, most int64) (int64, error) {
	if err := d.await(); err != nil {
		return 0, err
	}
	n, err := w.Write(d.line[:min(most, int64(len(d.line)))])
	d.line = d.line[n:]
	return int64(n), err
}

// await reads until there is something to give out.
func (d *dotted) await() error {
	for len(d.line) == 0 {
		if d.err != nil {
			return d.err
		}
		d.next()
	}
	return nil
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
		switch {
		case err == nil && len(bytes.TrimRight(part[1:], "\r\n")) == 0:
			part, d.err = nil, io.EOF
		case len(part) > 1 && part[1] == '.':
			part = part[1:]
		}
	}
	d.line = part
}
