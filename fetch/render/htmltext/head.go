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
	rest := io.Reader(d.Body)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		rest = broken{err}
	}
	d.Body = reread{io.MultiReader(bytes.NewReader(ahead[:n]), rest), d.Body}
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
	io.Reader
	io.Closer
}

// WriteTo uses the WriteTo of the Body for the rest.
func (r reread) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, r.Reader) }

// broken is the rest of a Body after an error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
