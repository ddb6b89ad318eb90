package mimepart

import (
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"strings"
)

// A body is the lines of a part up to the delimiter that ends it; the line end before that belongs to the delimiter.
type body struct {
	w     *walker
	outer int    // how many parts it is in
	held  []byte // a line end of which is not known yet whose it is
	out   []byte
	buf   []byte
	err   error
}

func (b *body) Read(p []byte) (int, error) {
	for len(b.out) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.fill()
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// fill takes one piece of a line.
func (b *body) fill() {
	piece, err := b.w.peek()
	if err != nil {
		b.err = err
		if b.out = b.held; err == io.EOF && b.outer > 0 {
			b.err = ErrShort
		}
		b.held = nil
		return
	}
	if _, _, ok := b.w.delimiter(); ok {
		b.err = io.EOF
		return
	}
	end := len(piece)
	if end > 0 && piece[end-1] == '\n' {
		if end--; end > 0 && piece[end-1] == '\r' {
			end--
		}
	}
	b.buf = append(append(b.buf[:0], b.held...), piece[:end]...)
	b.held = append(b.held[:0], piece[end:]...)
	b.out = b.buf
	b.w.take()
}

// Decoded is the body without its transfer encoding: RFC 2045 section 6. An unknown one is left as it is, and ok is false.
func (p *Part) Decoded() (r io.Reader, ok bool) {
	switch strings.ToLower(p.Get("Content-Transfer-Encoding")) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, &alphabet{in: p.Raw()}), true
	case "quoted-printable":
		return quotedprintable.NewReader(p.Raw()), true
	case "", "7bit", "8bit", "binary":
		return p.Raw(), true
	}
	return p.Raw(), false
}

// alphabet drops what is not of base64 (RFC 2045 section 6.8: it must be ignored), and completes the last group.
type alphabet struct {
	in    io.Reader
	count int
	ended bool // "=" was seen
	err   error
}

func (a *alphabet) Read(p []byte) (int, error) {
	for {
		if a.err != nil {
			return a.pad(p)
		}
		n, err := a.in.Read(p)
		a.err = err
		k := 0
		for _, c := range p[:n] {
			switch {
			case a.ended:
			case c == '=':
				a.ended = true
			case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
				p[k] = c
				k++
			}
		}
		a.count += k
		if k > 0 {
			return k, nil
		}
	}
}

// pad gives the "=" that the last group lacks.
func (a *alphabet) pad(p []byte) (int, error) {
	n := 0
	for a.count%4 != 0 && n < len(p) && a.err == io.EOF {
		p[n] = '='
		n++
		a.count++
	}
	if n > 0 {
		return n, nil
	}
	return 0, a.err
}
