package links

import (
	"io"
	"iter"
	"strings"

	"example.org/deref/uri"
)

// A Format is how the documents of a media type contain links. The zero Format has none that are known.
type Format struct {
	List    func(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] // yields the links
	Rewrite Rewriter                                                    // changes those that browsers follow; nil for a format that they do not show
	Anchors func(r io.Reader) iter.Seq2[string, error]                  // yields the names that fragments can have; nil if they are not known

	Markup   bool // the links are attributes of tags
	Declares bool // a document can declare its encoding
}

// A Rewriter is Rewrite, or the like of it for another format.
type Rewriter func(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(Link) (ref string, changed bool)) error

// FormatOf returns the Format of a media type without parameters, in lower case.
func FormatOf(mediaType string) Format {
	switch mediaType {
	case "text/html":
		return Format{HTML, Rewrite, HTMLAnchors, true, true}
	case "application/xhtml+xml":
		return Format{XHTML, RewriteXHTML, XHTMLAnchors, true, true}
	case "image/svg+xml":
		return Format{XHTML, RewriteXHTML, nil, true, true}
	case "text/css":
		return Format{List: CSS, Rewrite: RewriteCSS}
	case "text/gemini":
		return Format{List: Gemtext, Rewrite: RewriteGemtext}
	case "text/markdown":
		return Format{List: Markdown, Anchors: MarkdownAnchors}
	case "text/asciidoc", "text/x-asciidoc":
		return Format{List: AsciiDoc, Anchors: AsciiDocAnchors}
	case "text/uri-list":
		return Format{List: func(r io.Reader, _ uri.Resolver) iter.Seq2[Link, error] { return List(r) }}
	}
	if mediaType == "text/xml" || mediaType == "application/xml" || strings.HasSuffix(mediaType, "+xml") {
		return Format{List: XML, Rewrite: rewriteSheets, Declares: true}
	}
	return Format{}
}
