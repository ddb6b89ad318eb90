package lineproto

import (
	"bufio"
	"io"
	"iter"
	"math"
	"strings"

	"example.org/deref/fetch"
)

// NewScanner returns a Scanner for lines of at most most bytes, or of any length if most is not positive. The line before io.EOF need not have an
// end; a line that another error cuts is not returned.
func NewScanner(r io.Reader, most int) *bufio.Scanner {
	in := &watched{in: r}
	lines := bufio.NewScanner(in)
	lines.Split(func(p []byte, atEOF bool) (int, []byte, error) { return bufio.ScanLines(p, atEOF && !in.failed) })
	if lines.Buffer(nil, math.MaxInt32); most > 0 {
		lines.Buffer(nil, most+2)
	}
	return lines
}

// Entries yields an entry for each line that is not empty. most is as for NewScanner.
func Entries(r io.Reader, most int, entry func(line string) fetch.Entry) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		lines := NewScanner(r, most)
		for lines.Scan() {
			if text := strings.TrimRight(lines.Text(), "\r"); text != "" && !yield(entry(text), nil) {
				return
			}
		}
		if err := fetch.LineError(lines.Err(), most); err != nil {
			yield(fetch.Entry{}, err)
		}
	}
}

// A watched reader remembers that reading failed.
type watched struct {
	in     io.Reader
	failed bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.in.Read(p)
	w.failed = err != nil && err != io.EOF
	return n, err
}
