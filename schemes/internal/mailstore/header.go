package mailstore

import (
	"bufio"
	"bytes"
	"io"
)

// CutHeader reads the header of a message and the empty line after it. If that is more than most bytes, CutHeader stops after the line that
// exceeds them, or a part of a long line. A negative most means no limit. rest reads the whole message.
func CutHeader(in io.Reader, most int) (fields []byte, rest io.Reader, err error) {
	r := bufio.NewReader(in)
	for begins := true; most < 0 || len(fields) <= most; {
		line, err := r.ReadSlice('\n')
		fields = append(fields, line...)
		if err == io.EOF || begins && len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		if err != nil && err != bufio.ErrBufferFull {
			return nil, nil, err
		}
		begins = err == nil
	}
	return fields, io.MultiReader(bytes.NewReader(fields), r), nil
}
