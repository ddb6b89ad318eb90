package spill

import (
	"bufio"
	"io"
	"strings"
)

// EachFrom calls do for the lines of a sorted text of the given size, from the first that is not less than from on, until do returns false. The
// first is searched by bisection. Of a line beyond maxLine, which no program writes, do gets the beginning.
func EachFrom(r io.ReaderAt, size int64, from string, do func(line string) bool) error {
	at, err := firstLine(r, size, from)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r, at, size-at), searchBlock)
	for {
		line, _, err := readLine(in)
		if line != "" && !(line < from) && !do(line) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

const (
	searchBlock = 4 << 10 // is read at a time
	maxLine     = 8 << 20
)

// readLine reads a line, and returns it without its end, and how many bytes it has with that.
func readLine(in *bufio.Reader) (line string, n int64, err error) {
	var text []byte
	for {
		b, err := in.ReadSlice('\n')
		n += int64(len(b))
		if len(text)+len(b) <= maxLine {
			text = append(text, b...)
		}
		if err != bufio.ErrBufferFull {
			return strings.TrimRight(string(text), "\r\n"), n, err
		}
	}
}

// firstLine returns the offset of a line before which all lines are less than from, at most searchBlock before the first that is not.
func firstLine(r io.ReaderAt, size int64, from string) (int64, error) {
	lo, hi := int64(0), size // lines that begin before lo are less than from, and those that begin at hi or later are not
	in := bufio.NewReaderSize(nil, searchBlock)
	for hi-lo > searchBlock {
		mid := lo + (hi-lo)/2
		in.Reset(io.NewSectionReader(r, mid, size-mid))
		_, rest, err := readLine(in)
		start := mid + rest
		if err != nil && err != io.EOF {
			return 0, err
		}
		if err == io.EOF || start >= hi {
			hi = mid
			continue
		}
		line, n, err := readLine(in)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if line < from {
			lo = start
			if start+n >= hi {
				return lo, nil
			}
		} else {
			hi = start
		}
	}
	return lo, nil
}
