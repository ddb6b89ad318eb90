package save

import (
	"mime"
	"os"

	"example.org/deref/fetch"
)

// An attribute is one that freedesktop.org's "Common Extended Attributes" define for files that were fetched.
type attribute struct{ name, value string }

// tell writes into f's attributes where it came from and what it is.
func tell(f *os.File, d *fetch.Document) error {
	list := []attribute{{"user.xdg.origin.url", d.URI.Redacted(nil)}}
	if media, _, err := mime.ParseMediaType(d.Type); err == nil {
		list = append(list, attribute{"user.mime_type", media})
	}
	for _, a := range list {
		if err := setAttribute(f, a); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "the file takes no attribute %s: %w", a.name, err)
		}
	}
	return nil
}
