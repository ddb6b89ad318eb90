package spill

import (
	"bufio"
	"fmt"
	"io"
)

// EachLine calls do for the complete lines of a journal, to which each call adds one, so that a killed process leaves it complete, absent, or
// without its end. A line is passed without its end, and with its offset. EachLine returns the offset after the last one. A line of more than
// most bytes is an error. If do returns io.EOF, EachLine stops without an error.
func EachLine(journal io.Reader, most int, do func(line []byte, at int64) error) (end int64, err error) {
	in := bufio.NewReaderSize(journal, most)
	for {
		line, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			err = fmt.Errorf("the line at byte %d is longer than %d bytes", end, most)
		}
		if err == nil {
			err = do(line[:len(line)-1], end)
		}
		if err == io.EOF {
			return end, nil
		}
		if err != nil {
			return end, err
		}
		end += int64(len(line))
	}
}

// LineAt returns the line of at most most bytes at an offset, with its end.
func LineAt(journal io.ReaderAt, at int64, most int) ([]byte, error) {
	return bufio.NewReaderSize(io.NewSectionReader(journal, at, int64(most)), 1<<10).ReadBytes('\n')
}
