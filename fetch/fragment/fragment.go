// Package fragment cuts out of a document the part that its fragment names. What a fragment means depends on the media type alone
// (RFC 3986 section 3.5), and no server is ever told of it:
//
//	text/html, application/xhtml+xml   the element with that id, the section of that heading, what follows that anchor
//	other text                         RFC 5147: line=10,20 and char=0,100, with length= and md5= checked
//
// Parts are found as the document streams by; nothing is kept of it but the token or line at hand.
package fragment

import (
	"io"
	"mime"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// Cut makes d the part that d.Fragment names: its Body is that part's octets as they stand in the document, its size is unknown, and
// it has no entries. Where there is no such part, reading Body ends with an error of kind notfound before any octet; where the
// fragment's form means nothing in the document's media type, Cut returns one of kind unsupported. A d without a fragment is left
// alone.
func Cut(d *fetch.Document) error {
	if d.Fragment == "" {
		return nil
	}
	name, err := uri.FragmentText.Unescape(uri.Escaped(d.Fragment))
	if err != nil {
		return fetch.Errorf(fetch.ErrRefusedURL, "the fragment #%s: %w", d.Fragment, err)
	}
	part, err := partOf(d, name)
	if err != nil {
		return err
	}
	d.Body = fetch.NewBody(part, d.Body.Close)
	d.Size, d.Entries = -1, nil
	return nil
}

func partOf(d *fetch.Document, name string) (io.Reader, error) {
	media, params, err := mime.ParseMediaType(d.Type)
	if err != nil {
		media = mediatype.Essence(d.Type)
	}
	switch {
	case media == "text/html", media == "application/xhtml+xml":
		return newElement(d.Body, name), nil
	case strings.HasPrefix(media, "text/"):
		return newSpan(d.Body, name, params["charset"])
	}
	return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "fragments of " + d.Type + " are not understood", Hint: fetch.HintPart}
}
