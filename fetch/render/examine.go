package render

import (
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// Examine makes d.Body examine the charset of the text that is read from it. found returns the charset and how it was found. It returns "" if the
// text was ASCII, and for documents that are not texts. d.Body still returns the same bytes.
func Examine(d *fetch.Document) (found func() (label string, how charset.How)) {
	if d.Entries == nil && !isText(d.Type) || isMessage(d.Type) || d.Offset > 0 || d.Type == fetch.ListingType {
		return func() (string, charset.How) { return "", "" }
	}
	x, body := d.Source().NewExaminer(), d.Body
	d.Body = fetch.NewBody(io.TeeReader(body, x), body.Close)
	return x.Charset
}
