package render

import (
	"strings"

	"example.org/deref/fetch"
)

// A LineType is the type of a line of text/gemini.
type LineType string

const (
	LineText     LineType = "text" // a paragraph; an empty one is vertical space
	LineHeading  LineType = "heading"
	LineItem     LineType = "item" // of a list
	LineQuote    LineType = "quote"
	LineVerbatim LineType = "verbatim" // of a preformatted block
	LineLink     LineType = "link"
)

// GemtextLine returns the type of a line of text/gemini, and its text in UTF-8 without the mark of the type.
func GemtextLine(e fetch.Entry) (t LineType, text string) {
	text = title(e)
	switch {
	case !e.URI.IsZero() || e.Kind == fetch.KindUnknown:
		return LineLink, text
	case e.Attr[fetch.AttrVerbatim] != nil:
		return LineVerbatim, text
	case e.Attr[fetch.AttrHeading] != nil:
		return LineHeading, strings.TrimSpace(strings.TrimLeft(text, "#"))
	}
	if item, ok := strings.CutPrefix(text, "* "); ok {
		return LineItem, strings.TrimSpace(item)
	}
	if quote, ok := strings.CutPrefix(text, ">"); ok {
		return LineQuote, strings.TrimSpace(quote)
	}
	return LineText, text
}
