package mirror

import (
	"io"
	"mime"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// declared returns the charset of a document for its Record, if the server has named one.
func declared(d *fetch.Document) string {
	_, params, _ := mime.ParseMediaType(d.ContentType())
	return params["charset"]
}

// contentType returns the media type of the document with its charset.
func (r *Record) contentType() string {
	if r.Charset == "" || strings.Contains(r.Type, ";") {
		return r.Type
	}
	return mime.FormatMediaType(r.Type, map[string]string{"charset": r.Charset})
}

// A rewriter is links.Rewrite or links.RewriteGemtext.
type rewriter func(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(links.Link) (string, bool)) error

// inEncoding rewrites the links of a document and leaves it in its encoding. In one with ASCII, all other bytes stay.
func inEncoding(w io.Writer, r io.Reader, contentType string, base uri.URI, rewrite rewriter, to func(links.Link) (string, bool)) error {
	beginning, all, err := charset.Peek(r)
	if err != nil {
		return err
	}
	_, label := charset.Decode(contentType, beginning, strings.NewReader(string(beginning)))
	in := uri.Resolver{Base: base, Query: charset.Query(label)}
	if !charset.IsWide(label) {
		return rewrite(w, all, in, charset.Piece(label), to)
	}
	text, _ := charset.Decode(contentType, beginning, all)
	out := charset.NewWriter(w, label)
	if err := rewrite(out, text, in, nil, to); err != nil {
		return err
	}
	return out.Close()
}
