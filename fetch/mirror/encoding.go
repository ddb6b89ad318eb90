package mirror

import (
	"bytes"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/pieces"
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

// inEncoding rewrites the links of a document and leaves it in its encoding. In one with ASCII, all other bytes stay, but for the declaration of an
// encoding that only the server's header has named.
func inEncoding(w io.Writer, r io.ReadSeeker, contentType string, at uri.URI, rewrite links.Rewriter, to func(links.Link) (string, bool)) error {
	x := charset.Source{Type: contentType}.NewExaminer() // of the whole document, as for the links
	kind := mediatype.Essence(contentType)
	alone := charset.Source{Type: kind}.NewExaminer()
	var high highBytes
	if _, err := io.Copy(io.MultiWriter(x, alone, &high), r); err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	label, how := x.Charset()
	own, found := alone.Charset()
	matters := kind == "text/html" || kind == styleSheet && (bool(high) || charset.IsWide(label))
	undeclared := how == charset.ByType && (own != label || found == charset.ByGuess) && matters
	base := uri.Resolver{Base: at, Query: charset.Query(label)}
	isWide := charset.IsWide(label)
	text := io.Reader(r)
	if isWide {
		text = charset.Source{Type: contentType}.NewReader(r)
	}
	if undeclared {
		text = declaring(kind, label, text)
	}
	if !isWide {
		return rewrite(w, text, base, charset.Piece(label), to)
	}
	out := charset.NewWriter(w, label)
	if err := rewrite(out, text, base, nil, to); err != nil {
		return err
	}
	return out.Close()
}

// maxProlog bounds the comments and the document type at the beginning of a page, which its first element must follow.
const maxProlog = 4 << 10

// highBytes reports whether it was given bytes that are not ASCII.
type highBytes bool

func (h *highBytes) Write(p []byte) (int, error) {
	*h = *h || highBytes(bytes.ContainsFunc(p, func(c rune) bool { return c >= utf8.RuneSelf }))
	return len(p), nil
}

// declaring returns the page r with a declaration of its encoding as its first element, or the style sheet r with one as its first rule. In UTF-16 the byte order mark, which
// charset.NewWriter writes, declares it: such an element would mean UTF-8 (HTML Standard section 13.2.3.2).
func declaring(kind, label string, r io.Reader) io.Reader {
	if strings.HasPrefix(label, "utf-16") || !charset.IsWeb(label) {
		return r
	}
	if kind == styleSheet {
		return io.MultiReader(strings.NewReader(`@charset "`+label+`";`), r)
	}
	page := &pieces.Ahead{Rest: r}
	page.Fill(maxProlog)
	head := io.LimitReader(page, int64(prolog(page.Held)))
	return io.MultiReader(head, strings.NewReader(`<meta charset="`+label+`">`), page)
}

// prolog returns the length of p up to the end of its document type. It returns 0 if p begins with anything else.
func prolog(p []byte) int {
	for i := 0; ; {
		i += len(p[i:]) - len(bytes.TrimLeft(p[i:], " \t\r\n\f"))
		rest, end := p[i:], ">"
		isDoctype := len(rest) > 9 && strings.EqualFold(string(rest[:9]), "<!doctype")
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = "-->"
		case !isDoctype && !bytes.HasPrefix(rest, []byte("<?")):
			return 0
		}
		n := bytes.Index(rest, []byte(end))
		if n < 0 {
			return 0
		}
		if i += n + len(end); isDoctype {
			return i
		}
	}
}
