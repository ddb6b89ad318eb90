package batch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads lines of bounded length.
type lines struct {
	in   *bufio.Reader
	long []byte
	n    int
}

var errLongLine = errors.New("line too long")

// next returns a line without surrounding white space. It is valid until the next call.
func (l *lines) next() ([]byte, error) {
	l.n++
	line, err := l.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = l.rest(line)
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if l.n == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return bytes.Trim(line, " \t\r\n"), err
}

// rest reads the rest of a line that is longer than the buffer.
func (l *lines) rest(line []byte) ([]byte, error) {
	l.long = append(l.long[:0], line...)
	for {
		more, err := l.in.ReadSlice('\n')
		if len(l.long) <= maxLine {
			l.long = append(l.long, more...)
		}
		if err != bufio.ErrBufferFull {
			if len(l.long) > maxLine && (err == nil || err == io.EOF) {
				return nil, errLongLine
			}
			return l.long, err
		}
	}
}
