package render

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render/wrap"
)

// A TextRow is a row of gemtext on a terminal.
type TextRow struct {
	Type LineType
	Text string // without control characters
	Link int    // the number of the link of which this is a row, 0 for none
}

// IsGemtext reports whether Gemtext can show d.
func IsGemtext(d *fetch.Document) bool {
	return d.Entries != nil && mediatype.Essence(d.Type) == "text/gemini"
}

// Gemtext yields a document of the type text/gemini as rows for a terminal with a number of columns: paragraphs, headings, items and quotes are
// wrapped, each link has its own rows with its number, and preformatted blocks stay as they are.
func Gemtext(d *fetch.Document, width int) iter.Seq2[TextRow, error] {
	return func(yield func(TextRow, error) bool) {
		n := 0
		for e, err := range readable(d, &Options{}) {
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
			for _, row.Text = range gemtextRows(kind, Escape(wrap.Expand(text)), e, n, width) {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// gemtextRows breaks a line into rows. The marks of headings, items and quotes stay, because a terminal may have no styles.
func gemtextRows(kind LineType, text string, e fetch.Entry, n, width int) []string {
	switch kind {
	case LineVerbatim:
		return []string{text}
	case LineHeading:
		mark := "# "
		if level := e.Attr[fetch.AttrHeading]; len(level) > 0 && (level[0] == "2" || level[0] == "3") {
			mark = strings.Repeat("#", int(level[0][0]-'0')) + " "
		}
		return wrap.Text(mark+text, width, len(mark))
	case LineItem:
		return wrap.Text("* "+text, width, 2)
	case LineQuote:
		rows := wrap.Text(text, max(width-2, 2), 0)
		for i := range rows {
			rows[i] = "> " + rows[i]
		}
		return rows
	case LineLink:
		if e.URI.IsZero() { // malformed
			return wrap.Text("      "+text, width, 6)
		}
		if e.Kind == fetch.KindSearch {
			text += mark(e.Kind)
		}
		return wrap.Text(fmt.Sprintf("%5s %s", number(e, n), text), width, 6)
	}
	return wrap.Text(text, width, 0)
}

// gemtextView shows gemtext on a terminal. Headings are bold if it has colors.
func gemtextView(w io.Writer, d *fetch.Document, o *Options) error {
	t, styled := w.(*Terminal)
	styled = styled && o.Color
	for row, err := range Gemtext(d, o.width()) {
		if err != nil {
			return err
		}
		bold := styled && row.Type == LineHeading
		if bold {
			t.bold(true)
		}
		if _, err := io.WriteString(w, row.Text); err != nil {
			return err
		}
		if bold {
			t.bold(false)
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}
