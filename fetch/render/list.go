package render

import (
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gemtext"
	"example.org/deref/fetch/mediatype"
)

// maxGemtextLine bounds a line of gemtext that a scheme does not parse itself.
const maxGemtextLine = 1 << 20

// List sets the Entries of d if its type is a list that its scheme does not parse: gemtext, which any scheme may serve, and registration data
// (RFC 9083). All views but Raw call it. It leaves a part of a document unchanged.
func List(d *fetch.Document) {
	if d.Entries != nil || d.Offset > 0 || d.NotModified {
		return
	}
	base := d.Base
	noteGemtext(d)
	switch kind := mediatype.Essence(d.Type); kind {
	case rdapType:
		d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] { return rdap(r, base) })
	case "text/gemini":
		d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] {
			return gemtext.Entries(gemtext.Lines(d.Source().NewReader(r), maxGemtextLine, false), base)
		})
		d.UTF8Entries = true
	}
}

// noteGemtext corrects the type of a document that is gemtext by its name.
//
// QUIRK: web servers that do not know the type declare such a file as text/plain or as unknown data (Go's net/http and nginx 1.22 do).
func noteGemtext(d *fetch.Document) {
	kind, params, _ := strings.Cut(d.Type, ";")
	if kind = mediatype.Essence(kind); kind != "text/plain" && kind != mediatype.Unknown {
		return
	}
	if t, suffix := mediatype.OfName(string(d.URI.Path())); t == "text/gemini" {
		if d.Type = t; params != "" {
			d.Type += ";" + params
		}
		d.TypeReason = "suffix " + suffix
	}
}
