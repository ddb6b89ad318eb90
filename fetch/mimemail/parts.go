package mimemail

import (
	"io"
	"iter"
	"mime"
	"strconv"
	"strings"
)

// A Part is a part of a message that holds no other parts, with its transfer encoding undone. Number counts them from 1.
type Part struct {
	Number   int
	Path     string // as IMAP counts (RFC 9051 section 6.4.5): "1.2"; "" in a message without parts
	Type     string // media type with its parameters, verbatim; text/plain by default
	Name     string // the file name, or ""
	ID       string // Content-ID without brackets, or ""
	Encoding string // the encoding that was undone: base64, quoted-printable, uuencode, yenc, or ""
	Body     io.Reader

	// Piece and Pieces are set for one piece of a yEnc file that several messages carry. 0 means a whole file, or an unknown number.
	Piece, Pieces int
}

// maxParts bounds the parts of one message.
const maxParts = 10_000

// Parts yields the parts of a message that hold no other parts, and the files in its texts. nesting bounds the depth of multiparts unless it is 0 or
// negative. An error ends the sequence. Errors of msg are passed on unchanged.
func Parts(msg io.Reader, nesting int) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		l := &leaves{yield: yield}
		if err := newWalker(msg, nesting).message(nil, l.visit); err != nil && err != errStop {
			yield(Part{}, err)
		}
	}
}

// leaves yields the entities of a message that hold no others.
type leaves struct {
	yield func(Part, error) bool
	count int
}

// visit yields e unless it is a multipart.
func (l *leaves) visit(e *Entity) error {
	if _, multi := e.boundary(); multi {
		return nil
	}
	p := Part{Path: dotted(e.Path), Type: e.Get("Content-Type"), ID: e.ContentID()}
	kind, params, err := mime.ParseMediaType(p.Type)
	if err != nil {
		kind, _ = e.Type()
		p.Type = kind
	}
	if enc := e.encoding(); enc == "base64" || enc == "quoted-printable" {
		p.Encoding = enc
	}
	p.Body, _ = e.Decoded()
	field := e.Get("Content-Disposition")
	_, disposition, _ := mime.ParseMediaType(field)
	named := parameter(field, "filename", disposition)
	if p.Name = named; p.Name == "" {
		p.Name = parameter(e.Get("Content-Type"), "name", params)
	}
	if kind == "text/plain" && named == "" {
		return l.text(p)
	}
	return l.emit(p)
}

// dotted formats a path: "1.2".
func dotted(path []int) string {
	words := make([]string, len(path))
	for i, n := range path {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ".")
}

// emit passes a part to the caller, and discards the rest that the caller has not read.
func (l *leaves) emit(p Part) error {
	if l.count++; l.count > maxParts {
		return errParts
	}
	p.Number = l.count
	if !l.yield(p, nil) {
		return errStop
	}
	_, err := io.Copy(io.Discard, p.Body)
	return err
}
