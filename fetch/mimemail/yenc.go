package mimemail

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/deref/fetch/pieces"
)

// newYenc returns the yEnc file (version 1.2) that begins with "=ybegin line=128 size=123456 name=a b.bin", or nil if the fields are
// missing. in continues after that line.
func newYenc(in *bufio.Reader, rest string) *Part {
	fields, name, ok := strings.Cut(rest, "name=")
	if !ok || !strings.Contains(fields, "size=") {
		return nil
	}
	y := &ydecoder{in: in, size: -1, bol: true}
	if n, ok := yfield(fields, "size"); ok && !strings.Contains(fields, "part=") {
		y.size = n
	}
	p := &Part{Type: "application/octet-stream", Name: strings.TrimSpace(name), Encoding: "yenc", Body: pieces.NewReader(y.decode)}
	p.Piece, p.Pieces = ycount(fields, "part"), ycount(fields, "total")
	return p
}

func yfield(fields, name string) (int64, bool) {
	for f := range strings.FieldsSeq(fields) {
		if v, ok := strings.CutPrefix(f, name+"="); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			return max(n, 0), err == nil && n >= 0
		}
	}
	return 0, false
}

// ycount returns a field that counts pieces, or 0.
func ycount(fields, name string) int {
	n, _ := yfield(fields, name)
	return int(min(n, math.MaxInt32))
}

// A ydecoder decodes a file up to "=yend", and checks its length and checksum.
type ydecoder struct {
	in  *bufio.Reader
	out []byte

	size, got int64 // size is -1 if unknown
	sum       uint32
	bol, esc  bool // at the beginning of a line; after an escape character
}

func (y *ydecoder) decode() ([]byte, error) {
	line, err := y.in.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) == 0:
		return nil, errCut
	case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
		return nil, err
	case y.bol && bytes.HasPrefix(line, []byte("=yend")):
		return nil, y.finish(string(line))
	case y.bol && bytes.HasPrefix(line, []byte("=ypart")):
		y.part(string(line))
		return nil, nil
	}
	y.bol = err == nil
	y.out = y.out[:0]
	for _, c := range line {
		switch {
		case c == '\r' || c == '\n':
		case y.esc:
			y.out, y.esc = append(y.out, c-64-42), false
		case c == '=':
			y.esc = true
		default:
			y.out = append(y.out, c-42)
		}
	}
	y.got += int64(len(y.out))
	y.sum = crc32.Update(y.sum, crc32.IEEETable, y.out)
	return y.out, nil
}

// part parses "=ypart begin=1 end=100000".
func (y *ydecoder) part(line string) {
	from, ok := yfield(line, "begin")
	to, ok2 := yfield(line, "end")
	if ok && ok2 && from >= 1 && to >= from {
		y.size = to - from + 1
	}
}

// finish checks the file against "=yend size=123456 crc32=abcdef12". A part has its own checksum in pcrc32. finish returns io.EOF if all
// is well.
func (y *ydecoder) finish(line string) error {
	size, ok := yfield(line, "size")
	if !ok {
		size = y.got
	}
	if y.size >= 0 && y.size != y.got {
		size = y.size
	}
	if size != y.got {
		return fmt.Errorf("the yEnc file has %d of %d bytes", y.got, size)
	}
	key := "crc32="
	if strings.Contains(line, " pcrc32=") {
		key = "pcrc32="
	} else if strings.Contains(line, " part=") {
		return io.EOF // crc32 is the checksum of the whole file then
	}
	for f := range strings.FieldsSeq(line) {
		if v, ok := strings.CutPrefix(f, key); ok {
			if sum, err := strconv.ParseUint(v, 16, 32); err != nil || uint32(sum) != y.sum {
				return errors.New("the checksum of the yEnc file is wrong")
			}
		}
	}
	return io.EOF
}
