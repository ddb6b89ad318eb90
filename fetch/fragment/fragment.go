// Package fragment cuts the part that a fragment names out of a document. The meaning of a fragment depends only on the media type (RFC
// 3986 section 3.5), and it is never sent to a server:
//
//	text/html, application/xhtml+xml   the element with that id, the section of that heading, what follows that anchor
//	other text                         RFC 5147: line=10,20 and char=0,100, with length= and md5= checked
//
// Parts are found while the document streams by; only the current token or line is held.
package fragment

import (
	"io"
	"mime"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// Cut reduces d to the part that d.Fragment names: its Body is that part of the document, verbatim, its size is unknown, and it has no
// entries. If there is no such part, reading Body ends with an error of kind notfound before the first byte. If the fragment has no meaning
// in the document's media type, Cut returns an error of kind unsupported. It leaves a d without a fragment unchanged.
func Cut(d *fetch.Document) error {
	if d.Fragment == "" {
		return nil
	}
	name, err := uri.FragmentText.Unescape(uri.Escaped(d.Fragment))
	if err != nil {
		return fetch.Errorf(fetch.ErrRefusedURL, "fragment #%s: %w", d.Fragment, err)
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
