package render

import (
	"bytes"

	"example.org/deref/uri"
)

// Text stands in pre elements. The first line end in one is not part of it.
const (
	preOpen = "<pre lang=\"\">\n"
	preShut = "</pre>\n"
)

// linked writes text with links where it names URIs, as the texts of the early Web do all the time.
func (p *page) linked(text string) {
	at := 0
	for f := range uri.Find(text) {
		p.b.WriteString(EscapeHTML(text[at:f.Start]) + p.anchor(f.URI, text[f.Start:f.End]))
		at = f.End
	}
	p.b.WriteString(EscapeHTML(text[at:]))
}

// anchor is a link, or text where the link would lead nowhere.
func (p *page) anchor(u uri.URI, text string) string {
	if href := p.href(u); href != "" {
		return "<a href=\"" + EscapeHTML(href) + "\">" + EscapeHTML(text) + "</a>"
	}
	return EscapeHTML(text)
}

// longWord bounds what is kept back of text that has come, so that no URI is cut.
const longWord = 2 << 10

// lastWord returns how much of p is whole words, or at least whole characters.
func lastWord(p []byte) int {
	if i := bytes.LastIndexAny(p, " \t\n") + 1; len(p)-i < longWord {
		return i
	}
	return lastWhole(p)
}
