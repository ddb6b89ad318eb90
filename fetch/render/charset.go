package render

import (
	"bytes"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/uri"
)

// decode returns the text of r, which begins with p, in UTF-8, and the Resolver for its references.
func decode(t string, p []byte, r io.Reader, base uri.URI) (io.Reader, uri.Resolver) {
	text, label := charset.Decode(t, p, r)
	return text, uri.Resolver{Base: base, Query: charset.Query(label)}
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
	if p, all, err = charset.Peek(d.Body); err != nil || !isBinary(d.Type, p) {
		return p, all, err
	}
	kind, _ := mediaType(d.Type)
	if kind == "" {
		kind = "of unknown type"
	}
	return nil, nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "the document is binary, " + kind, Hint: fetch.HintBinary}
}

// readText returns the text of d in UTF-8, and the Resolver for its references. It returns an error if d is binary.
func readText(d *fetch.Document) (io.Reader, uri.Resolver, error) {
	p, r, err := textHead(d)
	if err != nil {
		return nil, uri.Resolver{}, err
	}
	r, base := decode(d.ContentType(), p, r, d.Base)
	if d.URI.Scheme() == "wais" {
		r = newUnmarked(r)
	}
	return r, base, nil
}
