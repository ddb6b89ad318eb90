package render

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// headSize is how much of a document is examined for its charset and for being binary.
const headSize = 4 << 10

// head reads the beginning of r, only as much as the first reads return, so that it does not wait for a slow document. It also returns a Reader
// of all of r.
func head(r io.Reader) ([]byte, io.Reader, error) {
	p := make([]byte, headSize)
	n, err := io.ReadAtLeast(r, p, 4)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF || n == 0 && err != io.EOF {
		return nil, nil, err
	}
	return p[:n], io.MultiReader(bytes.NewReader(p[:n]), r), nil
}

// decoded returns the text of d in UTF-8.
func decoded(d *fetch.Document) (io.Reader, error) {
	p, r, err := head(d.Body)
	if err != nil {
		return nil, err
	}
	return decode(labelled(d), p, r), nil
}

// labelled returns the type of d with its parameters, which may be only in the header (HTTP).
func labelled(d *fetch.Document) string {
	declared := d.Header.Get("Content-Type")
	kind, _ := mediaType(d.Type)
	if same, params := mediaType(declared); same == kind && params["charset"] != "" {
		return declared
	}
	return d.Type
}

// decode converts text of the media type t, which begins with p, to UTF-8. As in browsers, a byte order mark overrides the label, and the label
// overrides the declaration in a page.
func decode(t string, p []byte, r io.Reader) io.Reader {
	_, params := mediaType(t)
	label := params["charset"]
	if label == "" && isHTML(t) {
		label = metaCharset(p)
	}
	switch {
	case bytes.HasPrefix(p, []byte("\xef\xbb\xbf")):
		io.CopyN(io.Discard, r, 3)
		return r
	case bytes.HasPrefix(p, []byte("\xfe\xff")), bytes.HasPrefix(p, []byte("\xff\xfe")):
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder())
	}
	if e := charset.Lookup(label); e != nil {
		return transform.NewReader(r, e.NewDecoder())
	}
	if label == "" || strings.EqualFold(label, "unknown-8bit") || charset.IsASCII(label) {
		return transform.NewReader(r, lenient{})
	}
	return r
}

// lenient decodes UTF-8, and each invalid byte as Windows-1252, the charset of most text without a label.
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

// utf8Text applies lenient to a short string, such as a title.
func utf8Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out, _, err := transform.String(lenient{}, s)
	if err != nil {
		return s
	}
	return out
}

// isBinary reports whether a document cannot be shown as text: its type is not text, and its beginning p has bytes that are not in text.
func isBinary(t string, p []byte) bool {
	if isText(t) || bytes.HasPrefix(p, []byte("\xfe\xff")) || bytes.HasPrefix(p, []byte("\xff\xfe")) {
		return false
	}
	odd := 0
	for _, c := range p {
		switch {
		case c == 0:
			return true
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 0x1b:
			odd++
		}
	}
	return odd*20 > len(p)
}

func isText(t string) bool {
	kind, _ := mediaType(t)
	top, sub, _ := strings.Cut(kind, "/")
	switch {
	case top == "text", top == "message", strings.HasSuffix(sub, "+xml"), strings.HasSuffix(sub, "+json"):
		return true
	}
	switch sub {
	case "json", "jsonl", "xml", "javascript", "ecmascript", "postscript", "x-sh", "x-tex", "x-latex", "rtf", "sgml", "mbox":
		return true
	}
	return false
}

// textHead returns the beginning of d and a Reader of all of it. It returns an error if d is binary.
func textHead(d *fetch.Document) (p []byte, all io.Reader, err error) {
	if p, all, err = head(d.Body); err != nil || !isBinary(d.Type, p) {
		return p, all, err
	}
	kind, _ := mediaType(d.Type)
	if kind == "" {
		kind = "of unknown type"
	}
	return nil, nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "the document is binary, " + kind, Hint: fetch.HintBinary}
}

// readText returns the text of d in UTF-8. It returns an error if d is binary.
func readText(d *fetch.Document) (io.Reader, error) {
	p, r, err := textHead(d)
	if err != nil {
		return nil, err
	}
	if r = decode(labelled(d), p, r); d.URI.Scheme() == "wais" {
		r = newUnmarked(r)
	}
	return r, nil
}
