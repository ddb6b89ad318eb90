package htmltext

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
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
	c := &collector{linker: linker{base: base}, yield: func(e fetch.Entry, _ error) bool {
		if e.Kind == fetch.KindSearch && d.Search.IsZero() { // ISINDEX or a form at the top belongs to the page
			d.Search = e.URI
		}
		return true
	}}
	c.read(text, mediatype.IsXML(d.Type))
	d.Base = c.base.Base
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
