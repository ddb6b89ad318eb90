package fetch

import (
	"mime"

	"example.org/deref/fetch/mediatype"
)

// ContentType returns the media type of d with its parameters, such as "text/html; charset=koi8-r". It differs from Type if the charset is only
// in the header.
func (d *Document) ContentType() string {
	declared := d.Header.Get("Content-Type")
	same, params, err := mime.ParseMediaType(declared)
	if err == nil && params["charset"] != "" && same == mediatype.Essence(d.Type) {
		return declared
	}
	return d.Type
}
