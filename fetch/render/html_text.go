package render

import (
	"bytes"
	"strings"

	"example.org/deref/uri"
)

// Text stands in pre elements. The first line end in one is not part of it.
const (
	preOpen = "<pre lang=\"\">\n"
	preEnd  = "</pre>\n"
)

// linkedText returns text with links at its URIs.
func (p *page) linkedText(text string) Markup {
	var b strings.Builder
	at := 0
	for f := range uri.Find(text) {
		b.WriteString(escapeHTML(text[at:f.Start]) + string(p.anchor(f.URI, text[f.Start:f.End])))
		at = f.End
	}
	b.WriteString(escapeHTML(text[at:]))
	return Markup(b.String())
}

// anchor returns a link, or only its text if href returns no reference.
func (p *page) anchor(u uri.URI, text string) Markup {
	if href := p.href(u); href != "" {
		return HTMLf("<a href=\"%s\">%s</a>", href, text)
	}
	return HTMLf("%s", text)
}

// longWord bounds the part of a text that is held back so that no URI is cut.
const longWord = 2 << 10

// lastWord returns how much of p is complete words, or at least complete characters.
func lastWord(p []byte) int {
	if i := bytes.LastIndexAny(p, " \t\n") + 1; len(p)-i < longWord {
		return i
	}
	return lastWhole(p)
}
