package check

import (
	"path"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri/links"
)

// formatOf returns how a document contains links, by its media type and, if that is not specific, the suffix of its name. A document without List is not
// read.
func formatOf(media, name string) links.Format {
	if media == "text/plain" || media == "" {
		switch byName := mediatype.OfFile(name); byName {
		case "text/markdown", "text/asciidoc", "text/gemini":
			media = byName
		}
	}
	f := links.FormatOf(media)
	if f.List == nil && (strings.HasPrefix(media, "text/") || strings.HasPrefix(media, "message/") || media == "") {
		f.List = text
	}
	return f
}

// formatOfDocument returns the format of d.
func formatOfDocument(d *fetch.Document) links.Format {
	return formatOf(mediatype.Essence(d.Type), path.Base(string(d.URI.Path())))
}
