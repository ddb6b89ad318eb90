package mirror

import (
	"bytes"
	"net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/pieces"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// styleSheet is the media type of CSS.
const styleSheet = "text/css"

// rewriter returns the function that changes the links of a page or of a menu in text/gemini.
func (r *Record) rewriter(u uri.URI) links.Rewriter {
	if r.Kind == Menu && isGemtext(u) {
		return links.RewriteGemtext
	}
	return rewriterOf(r.Type)
}

// rewriterOf returns the function that changes the links of a page, of whatever media type a manifest records.
func rewriterOf(kind string) links.Rewriter {
	if f := links.FormatOf(kind); f.Rewrite != nil {
		return f.Rewrite
	}
	return links.Rewrite
}

// isPage reports whether documents of a media type contain links that browsers follow: pages, style sheets, SVG, XML and gemtext.
func isPage(kind string) bool { return links.FormatOf(kind).Rewrite != nil }

// isSheet reports whether a link is to a style sheet.
func isSheet(l links.Link) bool {
	return l.Sheet || l.Element == "@import" || l.Element == "?xml-stylesheet"
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
		b := &pieces.Ahead{Rest: d.Body}
		if b.Fill(sniffed); beginsPage(b.Held) {
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
	return strings.HasPrefix(http.DetectContentType(head), "text/html")
}
