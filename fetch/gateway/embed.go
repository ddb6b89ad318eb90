package gateway

import (
	"cmp"
	"net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
)

// embedded returns the element that shows a document within a page, or "": browsers show images, play sound and films, and most show PDF.
// Programs that do not accept pages get the bytes.
func embedded(r *http.Request, d *fetch.Document) string {
	if d.NotModified || d.Entries != nil || !strings.Contains(r.Header.Get("Accept"), "text/html") || r.Header.Get("Range") != "" {
		return ""
	}
	switch kind := mediatype.Essence(d.Type); kind {
	case "image/png", "image/gif", "image/jpeg", "image/webp", "image/avif", "image/bmp", "image/x-icon", "image/svg+xml":
		return "img"
	case "application/pdf":
		return "embed"
	default:
		top, _, _ := strings.Cut(kind, "/")
		if top == "audio" || top == "video" {
			return top
		}
	}
	return ""
}

// embed writes the element that shows a document, with a link for browsers that cannot.
func (p *page) embed(d *fetch.Document, kind string) {
	at := p.at + RawPath(d.URI)
	name := cmp.Or(lastName(d.URI), "the document")
	link := render.HTMLf("<p><a href=\"%s\">Open %s</a></p>\n", at, name)
	switch kind {
	case "img":
		p.put("<p><a href=\"%s\"><img class=\"o\" src=\"%[1]s\" alt=\"%s\"></a></p>\n", at, name)
	case "embed":
		p.put("<embed type=\"application/pdf\" src=\"%s\" title=\"%s\">\n%s", at, name, link)
	default:
		p.put("<%s controls preload=\"metadata\" src=\"%s\">%s</%[1]s>\n%[4]s", kind, at, name, link)
	}
}
