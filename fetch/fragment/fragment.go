// Package fragment cuts the part that a fragment names out of a document. The meaning of a fragment depends only on the media type (RFC
// 3986 section 3.5), and it is never sent to a server:
//
//	text/html, application/xhtml+xml   the element with that id, the section of that heading, what follows that anchor
//	other text                         RFC 5147: line=10,20 and char=0,100, with length= and md5= checked
//
// Parts are found while the document streams by; only the current token or line is held.
package fragment

import (
	"bufio"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// Cut reduces d to the part that d.Fragment names: its Body is that part of the document, verbatim, its size is unknown, and it has no
// entries. A part of a document in UTF-16 or ISO-2022-JP is encoded again, so that it can be decoded by itself. If there is no such part, reading Body ends with an error of kind notfound before the first byte. If the fragment has no meaning
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

// partOf returns the part with that name, in the encoding of the document.
func partOf(d *fetch.Document, name string) (io.Reader, error) {
	media := mediatype.Essence(d.Type)
	isPage := mediatype.IsPage(media)
	if !isPage && !strings.HasPrefix(media, "text/") {
		return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "fragments of " + d.Type + " are not understood", Hint: hint.Part}
	}
	beginning, in, err := charset.Peek(d.Body)
	if err != nil && err != io.EOF {
		return nil, err
	}
	label := d.Source().Label(beginning)
	var decode func(io.Reader) io.Reader
	if charset.IsWide(label) {
		decode = func(r io.Reader) io.Reader { return d.Source().NewReader(r) }
	}
	var part io.Reader
	switch {
	case !isPage:
		part, err = newSpan(in, name, charset.Piece(label), decode)
	case decode != nil:
		part = newElement(decode(in), name, mediatype.IsXML(media), nil)
	default:
		part = newElement(in, name, mediatype.IsXML(media), charset.Piece(label))
	}
	if err != nil || decode == nil {
		return part, err
	}
	return &encoded{text: bufio.NewReader(part), label: label}, nil
}

// encoded encodes a part. An error before its first byte comes before a byte order mark.
type encoded struct {
	text  *bufio.Reader
	label string
	out   io.Reader
}

func (e *encoded) Read(p []byte) (int, error) {
	if e.out == nil {
		if _, err := e.text.Peek(1); err != nil && err != io.EOF {
			return 0, err
		}
		e.out = charset.Encode(e.text, e.label)
	}
	return e.out.Read(p)
}
