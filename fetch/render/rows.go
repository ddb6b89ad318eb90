package render

import (
	"bufio"
	"fmt"
	"slices"

	"github.com/clipperhouse/displaywidth"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// columns returns the columns of the table in which e is a row. It returns nil if e is not a row.
func columns(e fetch.Entry) []string { return e.Attr[fetch.AttrColumns] }

// cells returns the values of a row, in the order of its columns.
func cells(e fetch.Entry) (list []string) {
	for _, name := range columns(e) {
		text := ""
		if v := e.Attr[name]; len(v) > 0 {
			text = orHex(v[0])
		}
		list = append(list, text)
	}
	return list
}

// orHex returns a value, in hexadecimal if it is not text.
func orHex(v string) string {
	if charset.IsText(v) {
		return v
	}
	return fmt.Sprintf("% x", v)
}

// rowsAtOnce is how many rows are aligned with each other.
const rowsAtOnce = 500

// rows writes rows with the same columns as a table. Columns are aligned in cells of the terminal.
type rows struct {
	b       *bufio.Writer
	columns []string
	lines   [][]string
}

// add adds a row. number is its number as a link.
func (r *rows) add(number string, e fetch.Entry) {
	if len(r.lines) > rowsAtOnce || len(r.lines) > 0 && !slices.Equal(r.columns, columns(e)) {
		r.end()
	}
	if len(r.lines) == 0 {
		r.columns = columns(e)
		r.line("", "", r.columns)
	}
	r.line(number, title(e), cells(e))
}

// line adds a line.
func (r *rows) line(number, index string, list []string) {
	line := []string{fmt.Sprintf("%5s %s", number, Escape(index))}
	for _, c := range list {
		line = append(line, Escape(c))
	}
	r.lines = append(r.lines, line)
}

// end writes the rows added so far.
func (r *rows) end() {
	if len(r.lines) == 0 {
		return
	}
	widths := make([]int, len(r.lines[0]))
	for _, line := range r.lines {
		for i, c := range line {
			widths[i] = max(widths[i], displaywidth.String(c))
		}
	}
	for _, line := range r.lines {
		for i, c := range line {
			r.b.WriteString(c)
			if i < len(line)-1 {
				fmt.Fprintf(r.b, "%*s", widths[i]-displaywidth.String(c)+2, "")
			}
		}
		r.b.WriteByte('\n')
	}
	r.lines = r.lines[:0]
}
