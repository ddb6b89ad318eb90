package render

import (
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// isBinary reports whether a document cannot be shown as text: its type is not text, and its beginning p has bytes that are not in text.
func isBinary(t string, p []byte) bool {
	if isText(t) || charset.IsWide(charset.Detect(p)) {
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
	kind := mediatype.Essence(t)
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

// textBody returns the Body of d. It returns an error if d is binary.
func textBody(d *fetch.Document) (io.Reader, error) {
	if isText(d.Type) {
		return d.Body, nil
	}
	p, all, err := charset.Peek(d.Body)
	if err != nil || !isBinary(d.Type, p) {
		return all, err
	}
	kind := mediatype.Essence(d.Type)
	if kind == "" {
		kind = "of unknown type"
	}
	return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "the document is binary, " + kind, Hint: hint.Binary}
}

// readText returns the text of d in UTF-8, and the Resolver for its references. It returns an error if d is binary.
func readText(d *fetch.Document, o *Options) (io.Reader, uri.Resolver, error) {
	body, source, err := boardText(d)
	if err != nil {
		return nil, uri.Resolver{}, err
	}
	text, base := source.Page(body, d.Base)
	r := io.Reader(text)
	if o.Charset != nil {
		r = &reporter{Reader: text, report: o.Charset}
	}
	if d.URI.Scheme() == "wais" {
		r = unmarked(r)
	}
	return r, base, nil
}

// A reporter calls Options.Charset when its charset is known.
type reporter struct {
	*charset.Reader
	report func(label string, how charset.How) // nil after the call
}

func (r *reporter) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if label, how := r.Charset(); label != "" && r.report != nil {
		r.report(label, how)
		r.report = nil
	}
	return n, err
}
