package check

import (
	"io"
	"iter"
	"path"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// A format reads the links of a document in one format.
type format struct {
	name   string
	isPage bool // the document declares its encoding
	links  func(io.Reader, uri.Resolver) iter.Seq2[links.Link, error]
}

// formatOf returns the format of a document, by its media type and, if that is not specific, the suffix of its name. A format without a name is not read.
func formatOf(media, name string) format {
	switch media {
	case "text/html", "application/xhtml+xml":
		return format{"html", true, links.HTML}
	case "text/plain", "":
		if byName := mediatype.OfFile(name); byName == "text/markdown" || byName == "text/asciidoc" || byName == "text/x-rst" || byName == "text/gemini" {
			media = byName
		}
	}
	switch media {
	case "text/markdown":
		return format{"markdown", false, links.Markdown}
	case "text/asciidoc", "text/x-asciidoc":
		return format{"asciidoc", false, links.AsciiDoc}
	case "text/x-rst", "text/prs.fallenstein.rst":
		return format{"rst", false, links.ReST}
	case "text/css":
		return format{"css", false, links.CSS}
	case "text/gemini":
		return format{"gemtext", false, links.Gemtext}
	case "text/uri-list":
		return format{"uri-list", false, func(r io.Reader, _ uri.Resolver) iter.Seq2[links.Link, error] { return links.List(r) }}
	case "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml":
		return format{"xml", true, links.XML}
	}
	if strings.HasPrefix(media, "text/") || strings.HasPrefix(media, "message/") || media == "" {
		return format{name: "text"}
	}
	return format{}
}

// formatOfDocument returns the format of d.
func formatOfDocument(d *fetch.Document) format {
	return formatOf(mediatype.Essence(d.Type), path.Base(string(d.URI.Path())))
}

// anchorsOf returns the function that lists the names which fragments of a document can have, or nil if its format has none that are known.
func anchorsOf(d *fetch.Document) func(io.Reader) iter.Seq2[string, error] {
	switch formatOfDocument(d).name {
	case "markdown":
		return links.MarkdownAnchors
	case "asciidoc":
		return links.AsciiDocAnchors
	}
	return nil
}
