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
		line, err := readLine(in)
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
	maxLine     = 256 << 10
)

// readLine reads a line without its end.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		b, err := in.ReadSlice('\n')
		if len(line)+len(b) <= maxLine {
			line = append(line, b...)
		}
		if err != bufio.ErrBufferFull {
			return strings.TrimRight(string(line), "\r\n"), err
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
		rest, err := skipLine(in)
		start := mid + rest
		if err != nil && err != io.EOF {
			return 0, err
		}
		if err == io.EOF || start >= hi {
			hi = mid
			continue
		}
		line, err := readLine(in)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if line < from {
			lo = start
			if start+int64(len(line)) >= hi {
				return lo, nil
			}
		} else {
			hi = start
		}
	}
	return lo, nil
}

// skipLine skips to the beginning of the next line, and returns how far that is.
func skipLine(in *bufio.Reader) (n int64, err error) {
	for {
		b, err := in.ReadSlice('\n')
		n += int64(len(b))
		if err != bufio.ErrBufferFull {
			return n, err
		}
	}
}
