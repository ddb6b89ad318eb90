package mimemail

import (
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"slices"

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
		return base64.NewDecoder(base64.StdEncoding, compact{e.Raw()}), true
	case enc == "quoted-printable":
		return quotedprintable.NewReader(e.Raw()), true
	default:
		return e.Raw(), isIdentity(enc)
	}
}

// compact drops the white space between the characters of base64. The decoder reports other bytes, which RFC 2045 section 6.8 lets readers ignore or
// report.
type compact struct{ in io.Reader }

func (c compact) Read(p []byte) (int, error) {
	for {
		n, err := c.in.Read(p)
		kept := slices.DeleteFunc(p[:n], func(b byte) bool { return b <= ' ' })
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
}
