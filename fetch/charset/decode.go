package charset

import (
	"bytes"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// HeadSize is how much of a document is examined for its encoding.
const HeadSize = 4 << 10

// UTF8 is the label of UTF-8.
const UTF8 = "utf-8"

// Peek reads the beginning of r, only as much as the first reads return, so that it does not wait for a slow document. It also returns a Reader of
// all of r.
func Peek(r io.Reader) (beginning []byte, all io.Reader, err error) {
	p := make([]byte, HeadSize)
	n, err := io.ReadAtLeast(r, p, 4)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF || n == 0 && err != io.EOF {
		return nil, nil, err
	}
	return p[:n], io.MultiReader(bytes.NewReader(p[:n]), r), nil
}

// NewReader returns the text of the document r in UTF-8, and the label of its encoding, as Decode does. It reads the beginning of r.
func NewReader(r io.Reader, contentType string) (text io.Reader, label string, err error) {
	p, all, err := Peek(r)
	if err != nil {
		return nil, "", err
	}
	text, label = Decode(contentType, p, all)
	return text, label, nil
}

// Decode returns the text of a document in UTF-8. contentType is its media type with parameters, and beginning is the beginning of r. As in
// browsers, a byte order mark overrides the label in contentType, and that overrides the declaration in a page.
//
// The label that it returns is that of the encoding in which the text is, or UTF8. Lookup accepts it, and Query encodes queries of the document's
// references by it.
func Decode(contentType string, beginning []byte, r io.Reader) (text io.Reader, label string) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = mediatype.Essence(contentType)
	}
	if label = params["charset"]; label == "" && (kind == "text/html" || kind == "application/xhtml+xml") {
		label = metaCharset(beginning)
	}
	switch {
	case bytes.HasPrefix(beginning, []byte("\xef\xbb\xbf")):
		io.CopyN(io.Discard, r, 3)
		return r, UTF8
	case bytes.HasPrefix(beginning, []byte("\xfe\xff")):
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder()), "utf-16be"
	case bytes.HasPrefix(beginning, []byte("\xff\xfe")):
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder()), "utf-16le"
	}
	if e := Lookup(label); e != nil {
		return transform.NewReader(r, e.NewDecoder()), label
	}
	if label == "" || strings.EqualFold(label, "unknown-8bit") || IsASCII(label) {
		return transform.NewReader(r, lenient{}), guessed(beginning)
	}
	return r, UTF8
}

// guessed returns the label of a text without one, which begins with p.
func guessed(p []byte) string {
	for len(p) > 0 && !utf8.FullRune(p[lastStart(p):]) { // a character that is not complete
		p = p[:lastStart(p)]
	}
	if utf8.Valid(p) {
		return UTF8
	}
	return "windows-1252"
}

// lastStart returns the offset of the last character of p.
func lastStart(p []byte) int {
	i := len(p) - 1
	for i > 0 && len(p)-i < utf8.UTFMax && !utf8.RuneStart(p[i]) {
		i--
	}
	return i
}

// Text decodes a short string without a label, such as a title: UTF-8, and each invalid byte as windows-1252.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out, _, err := transform.String(lenient{}, s)
	if err != nil {
		return s
	}
	return out
}

// lenient decodes UTF-8, and each invalid byte as windows-1252, the encoding of most text without a label.
type lenient struct{ transform.NopResetter }

func (lenient) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, size := rune(src[nSrc]), 1
		if r >= utf8.RuneSelf {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			if r, size = utf8.DecodeRune(src[nSrc:]); r == utf8.RuneError && size == 1 {
				r = charmap.Windows1252.DecodeByte(src[nSrc])
			}
		}
		if nDst+utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc += size
	}
	return nDst, nSrc, nil
}

// Page returns the text of a document in UTF-8, as NewReader does, and the Resolver for its references. Every function that reads links uses it, so
// that one link is one URI.
func Page(r io.Reader, contentType string, base uri.URI) (text io.Reader, in uri.Resolver, err error) {
	text, label, err := NewReader(r, contentType)
	return text, uri.Resolver{Base: base, Query: Query(label)}, err
}
