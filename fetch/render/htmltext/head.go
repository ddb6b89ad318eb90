package htmltext

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/pieces"
)

// HeadSize is how many bytes of a page Head examines.
const HeadSize = 16 << 10

// Head reads the beginning of the page d, up to HeadSize bytes, and sets d.Base from BASE, and d.Search from ISINDEX or a form with one field.
// d.Body still returns the whole page, and its WriteTo is as fast as before. A read error is returned by d.Body again.
func Head(d *fetch.Document) {
	ahead := &pieces.Ahead{Rest: d.Body}
	ahead.Fill(HeadSize)
	d.Body = struct {
		*pieces.Ahead
		io.Closer
	}{ahead, d.Body}
	text, base := d.Source().Page(bytes.NewReader(ahead.Held), d.Base)
	c := &collector{linker: linker{base: base}, yield: func(e fetch.Entry, _ error) bool {
		if e.Kind == fetch.KindSearch && d.Search.IsZero() { // ISINDEX or a form at the top belongs to the page
			d.Search = e.URI
		}
		return true
	}}
	c.read(text, mediatype.IsXML(d.Type))
	d.Base = c.base.Base
}
