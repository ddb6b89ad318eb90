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

// linked writes text with links at its URIs.
func (p *page) linked(text string) { p.b.WriteString(p.linkedText(text)) }

// linkedText returns text with links at its URIs.
func (p *page) linkedText(text string) string {
	var b strings.Builder
	at := 0
	for f := range uri.Find(text) {
		b.WriteString(EscapeHTML(text[at:f.Start]) + p.anchor(f.URI, text[f.Start:f.End]))
		at = f.End
	}
	b.WriteString(EscapeHTML(text[at:]))
	return b.String()
}

// anchor returns a link, or only its text if href returns no reference.
func (p *page) anchor(u uri.URI, text string) string {
	if href := p.href(u); href != "" {
		return "<a href=\"" + EscapeHTML(href) + "\">" + EscapeHTML(text) + "</a>"
	}
	return EscapeHTML(text)
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
