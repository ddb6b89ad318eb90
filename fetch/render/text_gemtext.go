package render

import (
	"fmt"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render/htmltext"
)

// gemtextRows yields a document of the type text/gemini as rows for a terminal: paragraphs, headings, items and quotes are wrapped, each link has its
// own rows with its number, and preformatted blocks stay as they are.
func gemtextRows(d *fetch.Document, o *Options) iter.Seq2[TextRow, error] {
	return func(yield func(TextRow, error) bool) {
		n := 0
		for e, err := range readable(d, o) {
			if err != nil {
				yield(TextRow{}, err)
				return
			}
			kind, text := GemtextLine(e)
			row := TextRow{Type: kind}
			if !e.URI.IsZero() {
				n++
				row.Link = n
			}
			for _, row.Text = range wrapGemtext(e, kind, Escape(htmltext.ExpandTabs(text)), row.Link, o.width()) {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// wrapGemtext breaks a line into rows. The marks of headings, items and quotes stay, because a terminal may have no styles.
func wrapGemtext(e fetch.Entry, kind LineType, text string, link, width int) []string {
	switch kind {
	case LineVerbatim:
		return []string{text}
	case LineHeading:
		mark := "# "
		if level := e.Value(fetch.AttrHeading); level == "2" || level == "3" {
			mark = strings.Repeat("#", int(level[0]-'0')) + " "
		}
		return htmltext.Wrap(mark+text, width, len(mark))
	case LineItem:
		return htmltext.Wrap("* "+text, width, 2)
	case LineQuote:
		rows := htmltext.Wrap(text, max(width-2, 2), 0)
		for i := range rows {
			rows[i] = "> " + rows[i]
		}
		return rows
	case LineLink:
		if link == 0 { // malformed
			return htmltext.Wrap("      "+text, width, 6)
		}
		if e.Kind == fetch.KindSearch {
			text += mark(e.Kind)
		}
		return htmltext.Wrap(fmt.Sprintf("%5s %s", number(link), text), width, 6)
	}
	return htmltext.Wrap(text, width, 0)
}
