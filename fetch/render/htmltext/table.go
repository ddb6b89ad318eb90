package htmltext

import "strings"

// A table is a TABLE, without others in it, whose text is held back. Its columns are aligned if they fit into the width, and each row into a line.
type table struct {
	rows  [][]cell
	steps []step
	ended int  // column at which the last cell ended
	lines int  // line ends that were written before the first cell of the row ended
	isOff bool // a row has several lines
}

// A cell ends at a step of the table, for the blanks after it. Its width includes the separator before it.
type cell struct{ step, width int }

// A step is what comes before a byte of the output: blanks, or a Mark.
type step struct {
	at, blanks int
	mark       *Mark
}

// tableMax bounds the bytes that are held back. A longer table is not aligned.
const tableMax = 64 << 10

func (p *printer) endRow() {
	p.endCell()
	p.line(1)
	p.cells = 0
}

// endCell ends the open cell, if there is one.
func (p *printer) endCell() {
	p.flushWord()
	t := p.table
	if t == nil || p.cells == 0 {
		return
	}
	p.newline()
	if p.cells == 1 {
		t.rows = append(t.rows, nil)
	}
	row, in := &t.rows[len(t.rows)-1], p.margin()
	if len(*row) == 0 {
		t.ended, t.lines = in, p.lines
	}
	width := max(p.column, in) - t.ended
	if len(*row) == 0 && width == 0 {
		width = -1 // no blank comes before the separator
	}
	t.isOff, t.ended = t.isOff || t.lines != p.lines, t.ended+width
	*row = append(*row, cell{len(t.steps), width})
	t.steps = append(t.steps, step{at: len(p.out)})
}

func (p *printer) endTable() {
	if p.endCell(); p.table != nil {
		p.release()
	}
}

// release writes what was held back.
func (p *printer) release() {
	t := p.table
	p.table = nil
	t.align(p.width - p.margin())
	held, from := p.out, 0
	p.out = nil
	for _, s := range t.steps {
		if p.out = append(p.out, held[from:s.at]...); !t.isOff {
			p.out = append(p.out, strings.Repeat(" ", s.blanks)...)
		}
		if from = s.at; s.mark != nil {
			p.send(true)
			p.mark(*s.mark)
		}
	}
	p.out = append(p.out, held[from:]...)
	p.send(true) // so that the next table does not hold it
}

// align sets the blanks after the cells. The last cell of a row needs none, and may be wider than its column, such as a title of the table.
func (t *table) align(room int) {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row[:max(len(row)-1, 0)] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], c.width)
		}
	}
	for _, row := range t.rows {
		total := 0
		for i, c := range row {
			if total += c.width; i < len(row)-1 {
				t.steps[c.step].blanks = widths[i] - c.width
				total += widths[i] - c.width
			}
		}
		t.isOff = t.isOff || total > room
	}
}
