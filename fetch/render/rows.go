package render

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"example.org/deref/fetch"
)

// columns are those of the table that e is a row of, nil if it is none.
func columns(e fetch.Entry) []string { return e.Attr[fetch.AttrColumns] }

// cells are the values of a row, in the order of its columns. What is no text is shown in hexadecimal.
func cells(e fetch.Entry) (list []string) {
	for _, name := range columns(e) {
		text := ""
		if v := e.Attr[name]; len(v) > 0 {
			text = v[0]
		}
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
			text = fmt.Sprintf("% x", text)
		}
		list = append(list, text)
	}
	return list
}

// rowsAtOnce is how many rows are aligned with each other.
const rowsAtOnce = 500

// rows writes a table as text: rows that have the same columns, one below the other.
type rows struct {
	b       *bufio.Writer
	table   *tabwriter.Writer
	columns []string
	n       int
}

// add takes a row in; number is what it is called as a link.
func (r *rows) add(number string, e fetch.Entry) {
	if r.n == rowsAtOnce || r.n > 0 && !slices.Equal(r.columns, columns(e)) {
		r.end()
	}
	if r.n == 0 {
		r.columns, r.table = columns(e), tabwriter.NewWriter(r.b, 0, 0, 2, ' ', 0)
		r.line("", "", r.columns)
	}
	r.n++
	r.line(number, title(e), cells(e))
}

// line writes a line. Escape leaves no tab or line end within a cell, which would begin another.
func (r *rows) line(number, index string, list []string) {
	line := fmt.Sprintf("%5s %s", number, Escape(index))
	for _, c := range list {
		line += "\t" + Escape(c)
	}
	fmt.Fprintln(r.table, line)
}

// end writes what is aligned so far.
func (r *rows) end() {
	if r.n > 0 {
		r.table.Flush()
	}
	r.n = 0
}
