package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

// columns returns the columns of the table in which e is a row. It returns nil if e is not a row.
func columns(e fetch.Entry) []string { return e.Attr[fetch.AttrColumns] }

// cells returns the values of a row, in the order of its columns.
func cells(e fetch.Entry) (list []string) {
	for _, name := range columns(e) {
		list = append(list, orHex(e.Value(name)))
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

// rows yields rows with the same columns as a table. Columns are aligned in cells of the terminal.
type rows struct {
	yield   func(TextRow, error) bool
	columns []string
	lines   [][]string
	links   []int // of lines
}

// add adds a row with the number of its link, 0 for none.
func (r *rows) add(e fetch.Entry, link int) (ok bool) {
	if len(r.lines) > rowsAtOnce || len(r.lines) > 0 && !slices.Equal(r.columns, columns(e)) {
		if !r.end() {
			return false
		}
	}
	if len(r.lines) == 0 {
		r.columns = columns(e)
		r.line(0, "", r.columns)
	}
	r.line(link, title(e), cells(e))
	return true
}

// line adds a line.
func (r *rows) line(link int, index string, list []string) {
	line := []string{fmt.Sprintf("%5s %s", number(link), Escape(index))}
	for _, c := range list {
		line = append(line, Escape(c))
	}
	r.lines, r.links = append(r.lines, line), append(r.links, link)
}

// end yields the rows added so far.
func (r *rows) end() (ok bool) {
	widths := make([]int, len(r.columns)+1)
	for _, line := range r.lines {
		for i, c := range line {
			widths[i] = max(widths[i], displaywidth.String(c))
		}
	}
	for n, line := range r.lines {
		text, gap := "", 0
		for i, c := range line {
			text += strings.Repeat(" ", gap) + c
			gap = widths[i] - displaywidth.String(c) + 2
		}
		if !r.yield(TextRow{LineLink, text, r.links[n]}, nil) {
			return false
		}
	}
	r.lines, r.links = r.lines[:0], r.links[:0]
	return true
}
