package save

import (
	"mime"
	"os"

	"example.org/deref/fetch"
)

// An attribute is one of freedesktop.org's "Common Extended Attributes" for downloaded files.
type attribute struct{ name, value string }

// writeAttributes records the document's URI and media type in f's attributes.
func writeAttributes(f *os.File, d *fetch.Document) error {
	list := []attribute{{"user.xdg.origin.url", d.URI.Redacted(nil)}}
	if media, _, err := mime.ParseMediaType(d.Type); err == nil {
		list = append(list, attribute{"user.mime_type", media})
	}
	for _, a := range list {
		if err := setAttribute(f, a); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "cannot set attribute %s: %w", a.name, err)
		}
	}
	return nil
}
