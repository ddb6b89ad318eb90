package mailparts

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
)

// yenc begins a file of yEnc (version 1.2): "=ybegin line=128 size=123456 name=a b.bin".
func (s *splitter) yenc(rest string) *Part {
	fields, name, ok := strings.Cut(rest, "name=")
	if !ok || !strings.Contains(fields, "size=") {
		return nil
	}
	y := &ydecoder{in: s.in, size: -1, bol: true}
	if n, ok := yfield(fields, "size"); ok && !strings.Contains(fields, "part=") {
		y.size = n
	}
	p := &Part{Type: "application/octet-stream", Name: strings.TrimSpace(name), Encoding: "yenc", Body: y}
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

// ycount is a field that counts pieces, 0 where there is none.
func ycount(fields, name string) int {
	n, _ := yfield(fields, name)
	return int(min(n, math.MaxInt32))
}

// ydecoder reads up to "=yend", and compares length and checksum.
type ydecoder struct {
	in   *bufio.Reader
	out  []byte
	rest []byte
	err  error

	size, got int64 // size -1 unknown
	sum       uint32
	bol, esc  bool
}

func (y *ydecoder) Read(p []byte) (int, error) {
	for len(y.rest) == 0 {
		if y.err != nil {
			return 0, y.err
		}
		y.err = y.fill()
	}
	n := copy(p, y.rest)
	y.rest = y.rest[n:]
	return n, nil
}

func (y *ydecoder) fill() error {
	line, err := y.in.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) == 0:
		return errCut
	case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
		return err
	case y.bol && bytes.HasPrefix(line, []byte("=yend")):
		return y.finish(string(line))
	case y.bol && bytes.HasPrefix(line, []byte("=ypart")):
		return y.part(string(line))
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
	y.rest = y.out
	y.got += int64(len(y.out))
	y.sum = crc32.Update(y.sum, crc32.IEEETable, y.out)
	return nil
}

// part reads "=ypart begin=1 end=100000".
func (y *ydecoder) part(line string) error {
	from, ok := yfield(line, "begin")
	to, ok2 := yfield(line, "end")
	if ok && ok2 && from >= 1 && to >= from {
		y.size = to - from + 1
	}
	return nil
}

// finish compares with what "=yend size=123456 crc32=abcdef12" says; of a part, pcrc32 is its own checksum.
func (y *ydecoder) finish(line string) error {
	if size, ok := yfield(line, "size"); ok && size != y.got || y.size >= 0 && y.size != y.got {
		return fmt.Errorf("the file of yEnc has %d octets, which is not what it says", y.got)
	}
	key := "crc32="
	if strings.Contains(line, " pcrc32=") {
		key = "pcrc32="
	} else if strings.Contains(line, " part=") {
		return io.EOF // crc32 is that of the whole file then
	}
	for f := range strings.FieldsSeq(line) {
		if v, ok := strings.CutPrefix(f, key); ok {
			if sum, err := strconv.ParseUint(v, 16, 32); err != nil || uint32(sum) != y.sum {
				return errors.New("the checksum of the file of yEnc is wrong")
			}
		}
	}
	return io.EOF
}
