package mimemail

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"example.org/deref/fetch/pieces"
)

// text emits a text and the files in it, in order. The text before the first file is always emitted, later ones only if they are not blank.
func (l *leaves) text(p Part) error {
	t := &splitter{in: bufio.NewReaderSize(p.Body, maxPiece)}
	for files := 0; ; files++ {
		if files == 0 || t.more() {
			plain := p
			plain.Body = pieces.NewReader(t.prose)
			if err := l.emit(plain); err != nil {
				return err
			}
		}
		if t.file == nil {
			return ended(t.err)
		}
		file := *t.file
		t.file = nil
		file.Path = p.Path
		if err := l.emit(file); err != nil {
			return err
		}
	}
}

// A splitter divides a text into prose and encoded files, line by line.
type splitter struct {
	in   *bufio.Reader
	line []byte // a line that was read and not returned
	mid  bool   // the line before was longer than the buffer, so that the next read continues it
	file *Part  // the file that begins here
	err  error
}

// next returns the next line of prose. It returns nil at the end, and where a file begins.
func (s *splitter) next() []byte {
	if len(s.line) > 0 {
		line := s.line
		s.line = nil
		return line
	}
	if s.err != nil || s.file != nil {
		return nil
	}
	begins := !s.mid
	line, err := s.in.ReadSlice('\n')
	s.mid = err == bufio.ErrBufferFull
	if err != nil && !s.mid {
		s.err = err
	}
	if begins {
		if s.file = s.fileAt(line); s.file != nil {
			return nil
		}
	}
	return line
}

// prose returns the lines up to the next file for a pieces.Reader.
func (s *splitter) prose() ([]byte, error) {
	line := s.next()
	switch {
	case line != nil:
		return line, nil
	case s.err != nil:
		return nil, s.err
	}
	return nil, io.EOF
}

// more reports whether there is prose before the next file, or the end.
func (s *splitter) more() bool {
	for {
		line := s.next()
		if line == nil {
			return false
		}
		if len(bytes.TrimSpace(line)) > 0 {
			s.line = bytes.Clone(line)
			return true
		}
	}
}

// fileAt returns the file that begins at a line, or nil.
func (s *splitter) fileAt(line []byte) *Part {
	text := strings.TrimRight(string(line[:min(len(line), 1000)]), "\r\n")
	if rest, ok := strings.CutPrefix(text, "=ybegin "); ok {
		return newYenc(s.in, rest)
	}
	rest, ok := strings.CutPrefix(text, "begin ")
	mode, name, named := strings.Cut(rest, " ")
	if !ok || !named || len(mode) < 3 || len(mode) > 4 || strings.Trim(mode, "01234567") != "" || name == "" || !s.encoded() {
		return nil
	}
	u := &uudecoder{in: s.in}
	return &Part{Type: "application/octet-stream", Name: name, Encoding: "uuencode", Body: pieces.NewReader(u.decode)}
}

// encoded reports whether the next line is uuencoded. Sentences begin with "begin", too.
func (s *splitter) encoded() bool {
	p, _ := s.in.Peek(1)
	if len(p) == 0 || p[0] < ' ' || p[0] > '`' {
		return false
	}
	n := uuvalue(p[0])
	p, _ = s.in.Peek(2 + (n+2)/3*4)
	i := bytes.IndexByte(p, '\n')
	return n == 0 && i > 0 || n > 0 && len(p) > (n*8+5)/6 && (i < 0 || i > (n*8+5)/6-1)
}

// uuvalue returns the six bits that a character stands for.
func uuvalue(c byte) int { return int(c-' ') & 0x3f }

// errCut means that a file lacks its last line.
var errCut = errors.New("the encoded file has no end")

// A uudecoder decodes the lines of a uuencoded file up to the line "end".
type uudecoder struct {
	in  *bufio.Reader
	out []byte
}

func (u *uudecoder) decode() ([]byte, error) {
	line, err := u.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return nil, errors.New("a line of the encoded file is too long")
	}
	if err == io.EOF && len(line) == 0 {
		return nil, errCut
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	line = bytes.TrimRight(line, "\r\n")
	if string(line) == "end" {
		return nil, io.EOF
	}
	if len(line) == 0 {
		return nil, nil
	}
	u.out = u.out[:0]
	n := uuvalue(line[0])
	// QUIRK: some mail programs removed the blanks at the end of a line, which stand for zeros: see a2b_uu in Python's binascii.
	for q := line[1:]; len(u.out) < n; q = q[min(4, len(q)):] {
		var v uint32
		for i := range 4 {
			v <<= 6
			if i < len(q) {
				v |= uint32(uuvalue(q[i]))
			}
		}
		u.out = append(u.out, byte(v>>16), byte(v>>8), byte(v))
	}
	return u.out[:n], nil
}
