package mailparts

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// text gives a text and the files in it, in their order. A text that is empty but for them is not given; one without files always is.
func (w *walk) text(p Part) error {
	t := &splitter{in: bufio.NewReaderSize(p.Body, 64<<10)}
	for files := 0; ; {
		plain := p
		plain.Body = &prose{splitter: t}
		if files == 0 || t.more() {
			if err := w.give(plain); err != nil {
				return err
			}
		}
		if t.file == nil {
			return ended(t.err)
		}
		files++
		file := *t.file
		t.file = nil
		file.Path = p.Path
		if err := w.give(file); err != nil {
			return err
		}
	}
}

func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// splitter reads a text line by line.
type splitter struct {
	in   *bufio.Reader
	line []byte // read and not given out
	mid  bool   // the line before had no end: it was too long for the buffer
	file *Part  // what begins here
	err  error
}

// next reads the next line of prose; nil at the end, and where a file begins.
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
		if s.file = s.opens(line); s.file != nil {
			return nil
		}
	}
	return line
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

// opens reports what file a line begins.
func (s *splitter) opens(line []byte) *Part {
	text := strings.TrimRight(string(line[:min(len(line), 1000)]), "\r\n")
	if rest, ok := strings.CutPrefix(text, "=ybegin "); ok {
		return s.yenc(rest)
	}
	rest, ok := strings.CutPrefix(text, "begin ")
	mode, name, named := strings.Cut(rest, " ")
	if !ok || !named || len(mode) < 3 || len(mode) > 4 || strings.Trim(mode, "01234567") != "" || name == "" || !s.encoded() {
		return nil
	}
	return &Part{Type: "application/octet-stream", Name: name, Encoding: "uuencode", Body: &uudecoder{in: s.in}}
}

// encoded reports whether the line that follows is one of uuencode: sentences begin with "begin", too.
func (s *splitter) encoded() bool {
	p, _ := s.in.Peek(1)
	if len(p) == 0 || p[0] < ' ' || p[0] > '`' {
		return false
	}
	n := uulength(p[0])
	p, _ = s.in.Peek(2 + (n+2)/3*4)
	i := bytes.IndexByte(p, '\n')
	return n == 0 && i > 0 || n > 0 && len(p) > (n*8+5)/6 && (i < 0 || i > (n*8+5)/6-1)
}

// prose is the text up to the next file.
type prose struct {
	*splitter
	rest []byte
}

func (p *prose) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.rest = p.next(); p.rest == nil {
			if p.err != nil && p.err != io.EOF {
				return 0, p.err
			}
			return 0, io.EOF
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func uulength(c byte) int { return int(c-' ') & 0x3f }

// errCut says that a file ends without the line that ends it.
var errCut = errors.New("the encoded file has no end")

// uudecoder reads the lines of a uuencoded file, and the line "end".
type uudecoder struct {
	in   *bufio.Reader
	out  []byte
	rest []byte
	err  error
}

func (u *uudecoder) Read(p []byte) (int, error) {
	for len(u.rest) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.err = u.fill()
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

func (u *uudecoder) fill() error {
	line, err := u.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return errors.New("a line of the encoded file is too long")
	}
	if err == io.EOF && len(line) == 0 {
		return errCut
	}
	if err != nil && err != io.EOF {
		return err
	}
	line = bytes.TrimRight(line, "\r\n")
	if string(line) == "end" {
		return io.EOF
	}
	if len(line) == 0 {
		return nil
	}
	u.out = u.out[:0]
	n := uulength(line[0])
	for q := line[1:]; len(u.out) < n && len(q) > 0; q = q[min(4, len(q)):] {
		var v uint32
		for i := range 4 {
			v <<= 6
			if i < len(q) {
				v |= uint32(uulength(q[i]))
			}
		}
		u.out = append(u.out, byte(v>>16), byte(v>>8), byte(v))
	}
	u.rest = u.out[:min(n, len(u.out))]
	return nil
}
