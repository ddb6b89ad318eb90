package mirror

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// styleSheet is the media type of CSS.
const styleSheet = "text/css"

// A form is how the links of a document are written.
type form struct {
	list    func(io.Reader, uri.Resolver) iter.Seq2[links.Link, error]
	rewrite rewriter
}

// formOf returns the form of a media type. It is the zero form for documents without links. The links of feeds and of other XML, apart from
// <?xml-stylesheet?>, are for the programs that process it, not for a browser.
func formOf(kind string) form {
	switch {
	case kind == "text/html":
		return form{links.HTML, links.Rewrite}
	case kind == styleSheet:
		return form{links.CSS, links.RewriteCSS}
	case kind == "application/xhtml+xml", kind == "image/svg+xml":
		return form{links.XHTML, links.RewriteXHTML}
	case kind == "text/xml", kind == "application/xml", strings.HasSuffix(kind, "+xml"):
		return form{listSheets, rewriteSheets}
	}
	return form{}
}

// pageForm returns the form of a page, of whatever media type a manifest records.
func pageForm(kind string) form {
	if f := formOf(kind); f.list != nil {
		return f
	}
	return formOf("text/html")
}

// isPage reports whether documents of a media type contain links: pages, style sheets, SVG and XML.
func isPage(kind string) bool { return formOf(kind).list != nil }

func isInstruction(l links.Link) bool { return l.Element == "?xml-stylesheet" }

// listSheets yields the style sheets of an XML document.
func listSheets(r io.Reader, base uri.Resolver) iter.Seq2[links.Link, error] {
	return func(yield func(links.Link, error) bool) {
		for l, err := range links.XHTML(r, base) {
			if (isInstruction(l) || err != nil && l == links.Link{}) && !yield(l, err) {
				return
			}
		}
	}
}

// rewriteSheets rewrites the references of an XML document to its style sheets.
func rewriteSheets(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(links.Link) (string, bool)) error {
	return links.RewriteXHTML(w, r, base, text, func(l links.Link) (string, bool) {
		if isInstruction(l) {
			return to(l)
		}
		return "", false
	})
}

// isSheet reports whether a link is to a style sheet.
func isSheet(l links.Link) bool {
	return l.Sheet || l.Element == "@import" || isInstruction(l)
}

// correctType changes the media type of a document to that as which browsers treat it.
//
// QUIRK: they accept a style sheet without a media type, and from pages in quirks mode one with any media type from the same server (HTML Standard
// section 4.6.6.3). wget follows every one. They read a document without a media type to know whether it is a page (MIME Sniffing section 7.1).
func (v *visit) correctType(d *fetch.Document) {
	vague := d.Type == "" || d.Type == mediatype.Unknown || d.Type == "text/plain"
	switch {
	case d.NotModified, v.options.DryRun && d.Entries != nil:
	case (v.note.Sheet || v.record.Type == styleSheet) && vague:
		d.Type = styleSheet
	case vague && d.Header.Get("Content-Type") == "" && isWeb(v.uri) && d.Entries == nil:
		b := bufio.NewReaderSize(d.Body, sniffed)
		if head, _ := b.Peek(sniffed); beginsPage(head) { // Read returns the error again
			d.Type, d.TypeReason = "text/html", "its first bytes"
		}
		d.Body = fetch.NewBody(b, d.Body.Close)
	}
}

// sniffed is how many bytes of a document browsers read to know its media type.
const sniffed = 1445

// beginsPage reports whether a document begins as pages do: MIME Sniffing section 7.1.
func beginsPage(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n\f")
	if bytes.HasPrefix(head, []byte("<!--")) {
		return true
	}
	name, _, found := bytes.Cut(head, []byte(">"))
	name, _, spaced := bytes.Cut(name, []byte(" "))
	if !found && !spaced {
		return false
	}
	switch strings.ToLower(string(name)) {
	case "<!doctype", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style", "<title", "<b", "<body", "<br", "<p":
		return true
	}
	return false
}
