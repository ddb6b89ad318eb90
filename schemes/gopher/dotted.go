package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"example.org/deref/fetch"
)

// A dottedBody is a Body of lines that a line of one dot must end: the form "+-1" of Gopher+. It removes one dot of each line that begins
// with two.
type dottedBody struct {
	*response
	in   *bufio.Reader
	line []byte // the rest of the current line, or of the part of it that has arrived
	mid  bool   // the next part does not begin a line
	err  error
}

func newDottedBody(a *response) *dottedBody {
	return &dottedBody{response: a, in: bufio.NewReaderSize(a, headLen)}
}

func (d *dottedBody) Read(p []byte) (int, error) {
	if err := d.await(); err != nil {
		return 0, err
	}
	n := copy(p, d.line)
	d.line = d.line[n:]
	return n, nil
}

// WritePiece hides that of the response, which does not remove dots.
func (d *dottedBody) WritePiece(w io.Writer, most int64) (int64, error) {
	if err := d.await(); err != nil {
		return 0, err
	}
	n, err := w.Write(d.line[:min(most, int64(len(d.line)))])
	d.line = d.line[n:]
	return int64(n), err
}

// await reads until there is something to return.
func (d *dottedBody) await() error {
	for len(d.line) == 0 {
		if d.err != nil {
			return d.err
		}
		d.next()
	}
	return nil
}

// next reads a line, or as much of it as fits in the buffer.
func (d *dottedBody) next() {
	part, err := d.in.ReadSlice('\n')
	begins := !d.mid
	d.mid = errors.Is(err, bufio.ErrBufferFull)
	switch {
	case err == nil || d.mid:
	case err == io.EOF:
		d.err = fetch.Errorf(fetch.ErrTruncated, "the line of one dot at the end is missing")
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
