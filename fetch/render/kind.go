package render

import (
	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
)

// IsListed reports whether the text and HTML views of d show its entries, instead of the document that contains them.
func IsListed(d *fetch.Document) bool { return listed(d) }

// IsPage reports whether d is an HTML page, which the text view shows only with Options.Page.
func IsPage(d *fetch.Document) bool { return mediatype.IsPage(d.Type) }
