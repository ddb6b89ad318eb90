package render

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
)

// A TextRow is a line of the text view of a listing.
type TextRow struct {
	Type LineType
	Text string // without control characters
	Link int    // the number of the link of which this is a row, 0 for none
}

// textView writes the view Text.
func textView(w io.Writer, d *fetch.Document, o *Options) error {
	if IsListed(d) {
		return textRows(w, d, o)
	}
	if isMessage(d.Type) {
		return writeMessage(&messageText{w: w, base: d.Base, o: o, chosen: d.Charset, shown: noGroup}, d.Body)
	}
	r, base, err := readText(d, o)
	if err != nil {
		return err
	}
	if o.Page != nil && mediatype.IsPage(d.Type) {
		return o.Page(w, r, mediatype.IsXML(d.Type), base, o.width())
	}
	_, err = io.Copy(w, r)
	return err
}

// textRows writes the rows of a listing. Headings are bold on a terminal with colors.
func textRows(w io.Writer, d *fetch.Document, o *Options) error {
	b := bufio.NewWriter(w)
	n := 0
	for row, err := range TextRows(d, o) {
		if err != nil {
			b.Flush()
			return err
		}
		if t, ok := w.(*Terminal); ok && o.Color && row.Type == LineHeading {
			b.Flush()
			t.bold(true)
			io.WriteString(t, row.Text)
			t.bold(false)
			row.Text = ""
		}
		b.WriteString(row.Text)
		b.WriteByte('\n')
		if n++; b.Buffered() > chunk/8 || n < 100 { // show the first rows at once: users read a long listing while it arrives
			if err := b.Flush(); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// TextRows yields the lines of a listing, for which IsListed is true, as the text view shows them. On a terminal, gemtext is wrapped. Other listings
// have one line for each entry:
//
//	Welcome to this menu
//	 [1] About this server
//	 [2] Files/
//
// with date and size before the name if the entries have them, and only the size on a narrow terminal. Rows of a table are aligned.
func TextRows(d *fetch.Document, o *Options) iter.Seq2[TextRow, error] {
	if o == nil {
		o = &Options{}
	}
	if o.Terminal && mediatype.Essence(d.Type) == "text/gemini" {
		return gemtextRows(d, o)
	}
	return func(yield func(TextRow, error) bool) {
		n, dated, table := 0, false, &rows{yield: yield}
		for e, err := range readable(d, o) {
			if err != nil {
				_ = table.end() && yield(TextRow{}, err)
				return
			}
			link := 0
			if !e.URI.IsZero() {
				n++
				link = n
			}
			if columns(e) != nil {
				if !table.add(e, link) {
					return
				}
				continue
			}
			row := TextRow{LineText, Escape(title(e)), link}
			if link > 0 || showsAttributes(e) {
				if n == 1 {
					dated = e.Size >= 0 || !e.Modified.IsZero()
				}
				row.Type, row.Text = LineLink, textLine(e, link, dated, o.Terminal && o.width() < narrow)
			}
			if !table.end() || !yield(row, nil) {
				return
			}
			for a := range attributes(e) {
				line := "        " + a.name + ": " + Escape(a.text)
				if !a.link.IsZero() {
					line += " <" + Absolute(a.link) + ">"
				}
				if !yield(TextRow{Type: LineText, Text: line}, nil) {
					return
				}
			}
		}
		table.end()
	}
}

// number returns the number of a link in brackets, or "" for none.
func number(link int) string {
	if link == 0 {
		return ""
	}
	return fmt.Sprintf("[%d]", link)
}

// narrow is the width of a terminal below which dates would leave too little room for names.
const narrow = 60

func textLine(e fetch.Entry, link int, dated, narrow bool) string {
	data := ""
	switch {
	case dated && narrow && e.Size < 0:
		data = fmt.Sprintf("%9s  ", "")
	case dated && narrow:
		data = fmt.Sprintf("%9s  ", strings.ReplaceAll(Bytes(e.Size), "\u00a0", " "))
	case dated:
		data = fmt.Sprintf("%16s %12s  ", date(e), size(e))
	}
	return fmt.Sprintf("%5s %s%s%s%s", number(link), data, Escape(title(e)), mark(e.Kind), about(e))
}

// about returns more information for choosing an entry: the size and topic of a group, the author of a message, the dictionary of a word.
func about(e fetch.Entry) string {
	text := ""
	add := func(form, name string) {
		if v := e.Value(name); v != "" {
			text += fmt.Sprintf(form, Escape(charset.Text(v)))
		}
	}
	switch e.Kind {
	case fetch.KindGroup:
		add("  (%s)", "articles")
		add("  %s", "description")
	case fetch.KindMessage:
		add("  %s", "from")
	case fetch.KindEntry:
		add("  [%s]", "database")
	}
	return text
}

func date(e fetch.Entry) string {
	if e.Modified.IsZero() {
		return ""
	}
	return e.Modified.UTC().Format("2006-01-02 15:04")
}

func size(e fetch.Entry) string {
	if e.Size < 0 {
		return ""
	}
	return fmt.Sprint(e.Size)
}

// title returns the title of an entry in UTF-8, or its URI. The name of a link is as on a terminal in every view: names that differ must not look
// the same.
func title(e fetch.Entry) string {
	switch {
	case e.URI.IsZero():
		return charset.Text(e.Title)
	case e.Title != "":
		return Escape(charset.Text(e.Title))
	}
	return e.URI.Redacted(nil)
}

// mark returns a mark for entries that are not documents.
func mark(k fetch.EntryKind) string {
	switch k {
	case fetch.KindDir, fetch.KindMenu, fetch.KindGroup:
		return "/"
	case fetch.KindSearch:
		return " <?>"
	case fetch.KindSession:
		return " <session>"
	case fetch.KindLink:
		return "@"
	}
	return ""
}
