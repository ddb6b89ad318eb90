package htmltext

import (
	"bytes"
	"io"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.org/deref/fetch"
	"example.org/deref/uri/markup"
)

// HeadSize is how much of a page Head looks at.
const HeadSize = 16 << 10

// Head reads the beginning of the page d, up to HeadSize octets, and fills in what it says of itself: Base, from BASE, and Search, from
// ISINDEX or a form with one field. Body still has all of it afterwards, and keeps its way of moving octets. What cannot be read is
// left to who reads Body.
func Head(d *fetch.Document) {
	ahead := make([]byte, HeadSize)
	n, err := io.ReadFull(d.Body, ahead)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil // Body says so again
	}
	d.Body = &reread{ReadCloser: d.Body, ahead: ahead[:n], err: err}
	h := header{linker: linker{base: d.Base}, doc: d}
	tokens(bytes.NewReader(ahead[:n]), h.token)
	h.found(h.closeForm())
	d.Base = h.base
}

// A header looks for what a page says of itself.
type header struct {
	linker
	doc *fetch.Document
}

func (h *header) token(z *markup.Tokenizer, kind html.TokenType) {
	switch kind {
	case html.StartTagToken, html.SelfClosingTagToken:
		h.found(h.follow(readTag(z)))
	case html.EndTagToken:
		if atom.Lookup([]byte(z.Name())) == atom.Form {
			h.found(h.closeForm())
		}
	}
}

// found takes the first search: ISINDEX and the form at the top are those of the page.
func (h *header) found(l link, ok bool) {
	if ok && l.kind == fetch.KindSearch && h.doc.Search.IsZero() {
		h.doc.Search = l.uri
	}
}

// reread is a Body whose beginning has been read.
type reread struct {
	io.ReadCloser
	ahead []byte
	err   error // that came behind it
}

func (r *reread) Read(p []byte) (int, error) {
	if len(r.ahead) > 0 {
		n := copy(p, r.ahead)
		r.ahead = r.ahead[n:]
		return n, nil
	}
	if r.err != nil {
		return 0, r.err
	}
	return r.ReadCloser.Read(p)
}

// WriteTo leaves the rest to the Body's own.
func (r *reread) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(r.ahead)
	r.ahead = r.ahead[n:]
	if err == nil {
		err = r.err
	}
	if err != nil {
		return int64(n), err
	}
	m, err := io.Copy(w, r.ReadCloser)
	return int64(n) + m, err
}
