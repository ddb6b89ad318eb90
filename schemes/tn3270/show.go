package tn3270

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// A view is a screen and its code page.
type view struct {
	*screen
	page codePage
}

// shown returns the character at a position, a blank for attributes and hidden fields.
func (v view) shown(i, mark int) rune {
	c := v.cells[i]
	switch {
	case c.field, mark >= 0 && v.cells[mark].attr&display == hidden:
		return ' '
	case c.apl:
		return line(c.char)
	}
	return v.page.rune(c.char)
}

// line converts a character of the alternate set. Hosts use only its line drawing characters; any other becomes a blank.
func line(b byte) rune {
	if i := strings.IndexByte("\xa2\x85\xbf\xc5\xd5\xc4\xd4\xd3", b); i >= 0 {
		return []rune("─││┌┐└┘┼")[i]
	}
	return ' '
}

// text returns the screen as lines, without trailing blanks and empty lines.
func (v view) text() string {
	marks := v.marks()
	var b strings.Builder
	empty := 0
	for row := range v.rows {
		var l strings.Builder
		for col := range v.cols {
			i := row*v.cols + col
			l.WriteRune(v.shown(i, marks[i]))
		}
		t := strings.TrimRight(l.String(), " ")
		if t == "" {
			empty++
			continue
		}
		b.WriteString(strings.Repeat("\n", empty) + t + "\n")
		empty = 0
	}
	return b.String()
}

// entries yields the fields with their properties, and the error of the Body.
func (v view) entries(r io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		_, end := io.Copy(io.Discard, r) // for an archive
		for _, f := range v.fields() {
			if !yield(v.entry(f), nil) {
				return
			}
		}
		if end != nil {
			yield(fetch.Entry{}, end)
		}
	}
}

func (v view) entry(f field) fetch.Entry {
	first, attr := v.next(f.at), v.cells[f.at].attr
	var t strings.Builder
	for i, n := first, 0; n < f.length; i, n = v.next(i), n+1 {
		t.WriteRune(v.shown(i, f.at))
	}
	e := fetch.Entry{Title: strings.TrimRight(t.String(), " "), Kind: fetch.KindText, Size: -1, Attr: map[string][]string{
		"row": {strconv.Itoa(first/v.cols + 1)}, "column": {strconv.Itoa(first%v.cols + 1)}, "length": {strconv.Itoa(f.length)},
	}}
	for _, x := range []struct {
		name string
		on   bool
	}{{"protected", attr&protected != 0}, {"numeric", attr&numeric != 0}, {"intensified", attr&display == intense},
		{"hidden", attr&display == hidden}, {"modified", attr&modified != 0}, {"cursor", (v.cursor+len(v.cells)-first)%len(v.cells) < f.length}} {
		if x.on {
			e.Attr[x.name] = []string{"yes"}
		}
	}
	if c := colorName(v.cells[f.at].color); c != "" {
		e.Attr["color"] = []string{c}
	}
	return e
}

// colorName returns one of the seven colors of a 3279.
func colorName(c byte) string {
	if c < 0xf1 || c > 0xf7 {
		return ""
	}
	return [...]string{"blue", "red", "pink", "green", "turquoise", "yellow", "white"}[c-0xf1]
}

// ansi returns the whole screen for an ANSI X3.64 terminal, with the operator information area below it.
func (v view) ansi(rows int) string {
	marks := v.marks()
	var b strings.Builder
	b.WriteString("\x1b[?25l\x1b[H")
	last := ""
	for row := range v.rows {
		if row > 0 {
			b.WriteString("\r\n")
		}
		for col := range v.cols {
			i := row*v.cols + col
			if s := v.style(i, marks[i]); s != last {
				b.WriteString(s)
				last = s
			}
			b.WriteRune(v.shown(i, marks[i]))
		}
		b.WriteString("\x1b[0m\x1b[K")
		last = ""
	}
	b.WriteString("\x1b[J")
	if rows > v.rows {
		fmt.Fprintf(&b, "\r\n\x1b[7m%s\x1b[0m", v.oia())
	}
	if v.alarm {
		b.WriteString("\a")
	}
	fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[?25h", v.cursor/v.cols+1, v.cursor%v.cols+1)
	return b.String()
}

// style returns the rendition of a position: its own attributes, else its field's, else the colors of a 3279 in base mode.
func (v view) style(i, mark int) string {
	l, attr := v.cells[i].look, byte(0)
	if mark >= 0 {
		f := v.cells[mark]
		attr = f.attr
		l = look{cmp.Or(l.highlight, f.highlight), cmp.Or(l.color, f.color), cmp.Or(l.back, f.back)}
	}
	if l.color < 0xf1 || l.color > 0xf7 {
		l.color = base(attr)
	}
	codes := "\x1b[0"
	if attr&display == intense {
		codes += ";1"
	}
	switch l.highlight {
	case 0xf1:
		codes += ";5"
	case 0xf2:
		codes += ";7"
	case 0xf4:
		codes += ";4"
	}
	codes += ";" + strconv.Itoa(30+ansiColor(l.color))
	if l.back >= 0xf1 && l.back <= 0xf7 {
		codes += ";" + strconv.Itoa(40+ansiColor(l.back))
	}
	return codes + "m"
}

// base returns the color for protection and intensity.
func base(attr byte) byte {
	bright := attr&display == intense
	switch {
	case attr&protected == 0 && bright:
		return 0xf2
	case attr&protected == 0:
		return 0xf4
	case bright:
		return 0xf7
	}
	return 0xf1
}

// ansiColor returns the number of a 3279's color in SGR.
func ansiColor(c byte) int {
	return [...]int{4, 1, 5, 2, 6, 3, 7}[c-0xf1]
}

// oia returns the operator information area: whether keys are accepted, and the position of the cursor.
func (v view) oia() string {
	state := "           "
	if v.locked {
		state = "X SYSTEM   "
	}
	insert := " "
	if v.insert {
		insert = "^"
	}
	return fmt.Sprintf(" 4A  %s %s  %03d/%03d ", state, insert, v.cursor/v.cols+1, v.cursor%v.cols+1)
}
