package render

import (
	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
)

// IsListed reports whether the text and HTML views of d show its entries, instead of the document that contains them. Messages and screens of a 3270
// are shown as documents although they have entries.
func IsListed(d *fetch.Document) bool {
	return d.Entries != nil && !isMessage(d.Type) && mediatype.Essence(d.Type) != "text/x-tn3270"
}
