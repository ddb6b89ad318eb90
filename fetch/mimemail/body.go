package mimemail

import (
	"encoding/base64"
	"io"
	"mime/quotedprintable"

	"example.org/deref/fetch/pieces"
)

// A body reads the lines of an entity up to the delimiter that ends it. The line end before a delimiter belongs to the delimiter.
type body struct {
	*pieces.Reader
	w     *walker
	outer int    // how many parts the entity is in
	held  []byte // a line end that may belong to a delimiter
	buf   []byte
}

func newBody(w *walker) *body {
	b := &body{w: w, outer: len(w.bounds)}
	b.Reader = pieces.NewReader(b.fill)
	return b
}

// fill reads one piece of a line.
func (b *body) fill() ([]byte, error) {
	piece, err := b.w.peek()
	if err == io.EOF && b.outer > 0 {
		return nil, io.ErrUnexpectedEOF // whether the last line end belongs to the part is unknown
	}
	if err != nil {
		return b.held, err
	}
	if _, _, ok := b.w.delimiter(); ok {
		return nil, io.EOF
	}
	end := len(piece)
	if end > 0 && piece[end-1] == '\n' {
		if end--; end > 0 && piece[end-1] == '\r' {
			end--
		}
	}
	b.buf = append(append(b.buf[:0], b.held...), piece[:end]...)
	b.held = append(b.held[:0], piece[end:]...)
	b.w.consume()
	return b.buf, nil
}

// Decoded returns the body without its transfer encoding (RFC 2045 section 6). An unknown encoding is left as it is, and ok is false.
func (e *Entity) Decoded() (r io.Reader, ok bool) {
	switch enc := e.encoding(); {
	case enc == "base64":
		return base64.NewDecoder(base64.StdEncoding, &alphabet{in: e.Raw(), strict: e.w.strict}), true
	case enc == "quoted-printable":
		return quotedprintable.NewReader(e.Raw()), true
	default:
		return e.Raw(), isIdentity(enc)
	}
}

// alphabet drops the bytes that base64 does not use, which RFC 2045 section 6.8 lets readers ignore or report, and pads the last group. A
// strict one drops white space only, so that the decoder reports the rest.
type alphabet struct {
	in     io.Reader
	strict bool
	count  int
	ended  bool // "=" was read
	err    error
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
			case c <= ' ' || a.ended:
			case c == '=' && !a.strict:
				a.ended = true
			case a.strict, c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
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

// pad writes the "=" that the last group lacks.
func (a *alphabet) pad(p []byte) (int, error) {
	n := 0
	for a.count%4 != 0 && n < len(p) && a.err == io.EOF && !a.strict {
		p[n] = '='
		n++
		a.count++
	}
	if n > 0 {
		return n, nil
	}
	return 0, a.err
}
