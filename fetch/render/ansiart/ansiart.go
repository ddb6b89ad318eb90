// Package ansiart draws the text art and texts of bulletin boards: files with the control sequences of ANSI.SYS, usually in code page 437.
//
//	text, sauce := ansiart.Cut(file)
//	for row := range ansiart.Rows(decoded(text), &ansiart.Options{Columns: 80}) {
//
// Rows carries out the sequences that place and color characters, and ignores all others. What it returns has no control characters.
package ansiart

import (
	"bufio"
	"io"
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// A Cell is one character of a row. The second cell of a wide character has the Rune 0.
type Cell struct {
	Rune  rune
	Marks string // characters that combine with it
	Style
}

// A Style has the colors of a cell, in the order of ANSI: 0 black, 1 red, 2 green, 3 yellow, 4 blue, 5 magenta, 6 cyan, 7 white, and the bright
// ones from 8. The zero Style is black on black; Plain returns the one at the beginning.
type Style struct{ Foreground, Background uint8 }

// Plain returns the style before any is set: white on black.
func Plain() Style { return Style{Foreground: 7} }

// Options configure a drawing. A nil *Options means the zero Options.
type Options struct {
	Columns int  // where lines wrap; 0 means 80, at most MaxColumns are possible
	ICE     bool // the attribute for blinking means a bright background; otherwise it is ignored
}

// MaxColumns is the greatest width of a drawing.
const MaxColumns = 1000

const (
	defaultColumns = 80
	maxRows        = 500 // that a sequence can still change
	maxSequence    = 64  // bytes of a control sequence
	maxMarks       = 32  // bytes of marks in one cell
)

// Rows draws text, which is UTF-8 apart from its control characters, and yields the rows from the top. A row has no blank cells in the plain
// style at its end. What stands on a screen that the text erases is yielded, too. Of an image of many rows, only the last 500 can still be
// changed by what follows; memory is bounded by that.
func Rows(text io.Reader, o *Options) iter.Seq2[[]Cell, error] {
	if o == nil {
		o = &Options{}
	}
	c := &canvas{columns: o.Columns, ice: o.ICE, pen: pen{fg: 7}}
	if c.columns <= 0 {
		c.columns = defaultColumns
	}
	c.columns = min(c.columns, MaxColumns)
	return func(yield func([]Cell, error) bool) {
		r := bufio.NewReader(text)
		for {
			err := c.step(r)
			for c.y >= maxRows || c.ended {
				if len(c.rows) == 0 && c.ended {
					c.ended, c.x, c.y = false, 0, 0
					break
				}
				if !yield(c.row(0), nil) {
					return
				}
				c.scroll()
			}
			if err == nil {
				continue
			}
			for i := range c.rows {
				if !yield(c.row(i), nil) {
					return
				}
			}
			if err != io.EOF {
				yield(nil, err)
			}
			return
		}
	}
}

// A canvas is the part of the image that can be changed.
type canvas struct {
	columns      int
	ice          bool
	rows         [][]Cell
	x, y         int // of the next character; x may be columns
	savedX, save int
	pen          pen
	ended        bool // the screen is to be erased
}

func (c *canvas) scroll() {
	if len(c.rows) > 0 {
		copy(c.rows, c.rows[1:])
		c.rows = c.rows[:len(c.rows)-1]
	}
	c.y--
	c.save = max(0, c.save-1)
}

// row returns a row without the blanks at its end.
func (c *canvas) row(i int) []Cell {
	if i >= len(c.rows) {
		return nil
	}
	row := c.rows[i]
	for len(row) > 0 && row[len(row)-1] == blank() {
		row = row[:len(row)-1]
	}
	return row
}

func blank() Cell { return Cell{Rune: ' ', Style: Plain()} }

// step handles one character or sequence.
func (c *canvas) step(r *bufio.Reader) error {
	ch, size, err := r.ReadRune()
	if err != nil {
		return err
	}
	switch {
	case ch == '\n':
		c.x, c.y = 0, c.y+1
	case ch == '\r':
		if next, err := r.Peek(1); err == nil && next[0] != '\n' {
			c.x = 0
		}
	case ch == '\t':
		c.x = min(c.columns, c.x/8*8+8)
	case ch == '\x1b':
		return c.escape(r)
	case ch == 0: // as on a screen: a blank that changes nothing
	case ch == utf8.RuneError && size == 1:
		c.put(utf8.RuneError)
	default:
		c.put(glyph(ch))
	}
	return nil
}

// put writes a character at the cursor.
func (c *canvas) put(ch rune) {
	n := displaywidth.Rune(ch)
	if n == 0 {
		c.mark(ch)
		return
	}
	if c.x+n > c.columns {
		c.x, c.y = 0, c.y+1
	}
	for len(c.rows) <= c.y {
		c.rows = append(c.rows, nil)
	}
	row := c.rows[c.y]
	for len(row) < c.x+n {
		row = append(row, blank())
	}
	row[c.x] = Cell{Rune: ch, Style: c.style()}
	if n == 2 {
		row[c.x+1] = Cell{Style: c.style()}
	} else if c.x+1 < len(row) && row[c.x+1].Rune == 0 { // half of a character that was written over
		row[c.x+1].Rune = ' '
	}
	if c.x > 0 && row[c.x-1].Rune != 0 && displaywidth.Rune(row[c.x-1].Rune) == 2 {
		row[c.x-1].Rune = ' '
	}
	c.rows[c.y] = row
	c.x += n
}

// mark adds a combining character to the one before the cursor.
func (c *canvas) mark(ch rune) {
	if c.y >= len(c.rows) || c.x == 0 || c.x > len(c.rows[c.y]) || !unicode.Is(unicode.M, ch) {
		return
	}
	at := &c.rows[c.y][c.x-1]
	if at.Rune == 0 && c.x > 1 {
		at = &c.rows[c.y][c.x-2]
	}
	if len(at.Marks) < maxMarks {
		at.Marks += string(ch)
	}
}

// glyph returns the character that the screen of a PC shows for ch.
func glyph(ch rune) rune {
	const controls = " ☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼"
	switch {
	case ch < ' ':
		i := rune(0)
		for _, g := range controls {
			if i == ch {
				return g
			}
			i++
		}
	case ch == 0x7f:
		return '⌂'
	case unicode.IsControl(ch), unicode.Is(unicode.Cf, ch), unicode.Is(unicode.Zl, ch), unicode.Is(unicode.Zp, ch):
		return utf8.RuneError
	}
	return ch
}
