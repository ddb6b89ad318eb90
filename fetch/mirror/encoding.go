package mirror

import (
	"io"
	"mime"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// declared returns the charset of a document for its Record, if the server has named one.
func declared(d *fetch.Document) string {
	if d.Charset != "" {
		return d.Charset
	}
	return charset.LabelOf(d.ContentType())
}

// contentType returns the media type of the document with its charset.
func (r *Record) contentType() string {
	if r.Charset == "" {
		return r.Type
	}
	return mime.FormatMediaType(mediatype.Essence(r.Type), map[string]string{"charset": r.Charset})
}

// A rewriter is links.Rewrite or links.RewriteGemtext.
type rewriter func(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(links.Link) (string, bool)) error

// inEncoding rewrites the links of a document and leaves it in its encoding. In one with ASCII, all other bytes stay.
func inEncoding(w io.Writer, r io.ReadSeeker, contentType string, base uri.URI, rewrite rewriter, to func(links.Link) (string, bool)) error {
	x := charset.Source{Type: contentType}.NewExaminer() // of the whole document, as for the links
	if _, err := io.Copy(x, r); err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	label, _ := x.Charset()
	in := uri.Resolver{Base: base, Query: charset.Query(label)}
	if !charset.IsWide(label) {
		return rewrite(w, r, in, charset.Piece(label), to)
	}
	text, _ := charset.Decode(contentType, r)
	out := charset.NewWriter(w, label)
	if err := rewrite(out, text, in, nil, to); err != nil {
		return err
	}
	return out.Close()
}
