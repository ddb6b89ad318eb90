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

// columns returns the columns of the table in which e is a row. It returns nil if e is not a row.
func columns(e fetch.Entry) []string { return e.Attr[fetch.AttrColumns] }

// cells returns the values of a row, in the order of its columns. Values that are not text are in hexadecimal.
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

// rows writes rows with the same columns as a table.
type rows struct {
	b       *bufio.Writer
	table   *tabwriter.Writer
	columns []string
	n       int
}

// add adds a row. number is its number as a link.
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

// line writes a line. Escape replaces tabs and line ends, which would begin another cell.
func (r *rows) line(number, index string, list []string) {
	line := fmt.Sprintf("%5s %s", number, Escape(index))
	for _, c := range list {
		line += "\t" + Escape(c)
	}
	fmt.Fprintln(r.table, line)
}

// end writes the rows added so far.
func (r *rows) end() {
	if r.n > 0 {
		r.table.Flush()
	}
	r.n = 0
}
