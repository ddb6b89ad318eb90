package render

import (
	"bytes"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// decoded returns the text of d in UTF-8, and the label of its encoding.
func decoded(d *fetch.Document) (io.Reader, string, error) {
	return charset.NewReader(d.Body, d.ContentType())
}

// decode returns the text of r, which begins with p, in UTF-8.
func decode(t string, p []byte, r io.Reader) io.Reader {
	text, _ := charset.Decode(t, p, r)
	return text
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

// readText returns the text of d in UTF-8. It returns an error if d is binary.
func readText(d *fetch.Document) (io.Reader, error) {
	p, r, err := textHead(d)
	if err != nil {
		return nil, err
	}
	if r = decode(d.ContentType(), p, r); d.URI.Scheme() == "wais" {
		r = newUnmarked(r)
	}
	return r, nil
}
