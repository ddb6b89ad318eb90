package htmltext

import (
	"bytes"
	"io"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri/markup"
)

// HeadSize is how many bytes of a page Head examines.
const HeadSize = 16 << 10

// Head reads the beginning of the page d, up to HeadSize bytes, and sets d.Base from BASE, and d.Search from ISINDEX or a form with one field.
// d.Body still returns the whole page, and its WriteTo is as fast as before. A read error is returned by d.Body again.
func Head(d *fetch.Document) {
	ahead := make([]byte, HeadSize)
	n, err := io.ReadFull(d.Body, ahead)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil // Body returns it again
	}
	d.Body = &reread{ReadCloser: d.Body, ahead: ahead[:n], err: err}
	text, base := d.Source().Page(bytes.NewReader(ahead[:n]), d.Base)
	h := header{linker: linker{base: base}, doc: d}
	tokens(text, mediatype.IsXML(d.Type), h.token)
	h.found(h.closeForm())
	d.Base = h.base.Base
}

// A header finds base and search of a page.
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

// found uses the first search: ISINDEX or a form at the top belongs to the page.
func (h *header) found(l link, ok bool) {
	if ok && l.kind == fetch.KindSearch && h.doc.Search.IsZero() {
		h.doc.Search = l.uri
	}
}

// reread is a Body that returns its beginning again after it has been read.
type reread struct {
	io.ReadCloser
	ahead []byte
	err   error // after the beginning
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

// WriteTo uses the Body's WriteTo for the rest.
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
