package browse

import (
	"fmt"
	"math"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
)

// A layout is a page in rows of the screen.
type layout struct {
	width     int
	unwrapped bool
	rows      []row
	place     []span         // of each link
	names     map[string]int // the row of each element with a name
	lines     []int          // the first row of each line of the text
}

// A row is one line on the screen.
type row struct {
	text  string
	style Style
	level int // of a heading that begins here, 0 for none
}

// A mark is a mark before a byte of the text of a page.
type mark struct {
	at int
	htmltext.Mark
}

// A span is the place of a link: from a row and byte up to another.
type span struct{ row, from, lastRow, to int }

// on returns the bytes of the span in a row with a text.
func (s span) on(row int, text string) (from, to int) {
	if row < s.row || row > s.lastRow {
		return 0, 0
	}
	if to = len(text); row == s.row {
		from = s.from
	}
	if row == s.lastRow {
		to = s.to
	}
	return from + len(text[from:to]) - len(strings.TrimLeft(text[from:to], " ")), to
}

// relayout lays the page of v out for the width, if it is not, and keeps the row at the top.
func (b *Browser) relayout(v *visit) {
	l := &v.page.layout
	if l.width == b.width && l.unwrapped == b.unwrapped {
		return
	}
	part := 0.0
	if len(l.rows) > 0 {
		part = float64(v.top) / float64(len(l.rows))
	}
	v.page.lay(b.width, b.unwrapped)
	v.top = int(part * float64(len(l.rows)))
	b.clamp(v)
}

// lay makes the rows. Links that the page does not show are listed at the end.
func (p *page) lay(width int, unwrapped bool) {
	p.layout = layout{width: width, unwrapped: unwrapped, place: make([]span, len(p.links)), names: map[string]int{}}
	l := &p.layout
	if p.doc != nil && p.err == nil && p.listed {
		p.layListing(width)
	} else {
		text, marks := p.show(width)
		isMarkdown, isCode := p.doc != nil && mediatype.Essence(p.doc.Type) == "text/markdown", false
		for line := range strings.Lines(text) {
			l.lines = append(l.lines, len(l.rows))
			r := render.TextRow{Text: strings.TrimRight(line, "\n")}
			isCode = isCode != strings.HasPrefix(line, "```")
			if mark, _, ok := strings.Cut(line, " "); ok && isMarkdown && !isCode && mark != "" && strings.Trim(mark, "#") == "" {
				r.Type = render.LineHeading
			}
			l.add(r)
		}
		l.mark(text, marks)
	}
	for len(l.rows) > 0 && l.rows[len(l.rows)-1].text == "" {
		l.rows = l.rows[:len(l.rows)-1]
	}
	end := len(l.rows)
	for i, e := range p.links {
		if l.place[i].to > 0 {
			continue
		}
		if len(l.rows) == end {
			l.rows = append(l.rows, row{})
		}
		title := e.Title
		if title == "" {
			title = e.URI.Redacted(nil)
		}
		l.add(render.TextRow{Text: fmt.Sprintf("%5s %s", fmt.Sprintf("[%d]", i+1), render.Escape(title)), Link: i + 1})
	}
}

// layListing makes the rows of a listing, whose links have rows of their own.
func (p *page) layListing(width int) {
	l := &p.layout
	if l.unwrapped {
		width = math.MaxInt32
	}
	for r := range render.TextRows(p.document(), &render.Options{Terminal: true, Width: width}) { // without an error: the entries are in memory
		l.add(r)
	}
	if p.cut {
		l.rows = append(l.rows, row{}, row{text: longer})
	}
}

// add adds a line of text in as many rows as it takes.
func (l *layout) add(r render.TextRow) {
	style, level, hang := Plain, 0, len(r.Text)-len(strings.TrimLeft(r.Text, " "))
	switch {
	case r.Link > 0:
		hang = 6 // the number is before it
	case r.Type == render.LineHeading:
		style, level = Heading, len(r.Text)-len(strings.TrimLeft(r.Text, "#")) // 0 for a row that continues one
	case r.Type == render.LineQuote:
		style = Quote
	}
	parts := []string{htmltext.ExpandTabs(r.Text)}
	if !l.unwrapped && r.Type != render.LineVerbatim {
		parts = htmltext.Wrap(r.Text, l.width, hang)
	}
	for _, part := range parts {
		l.link(r.Link, len(l.rows), 0, len(part))
		l.rows = append(l.rows, row{part, style, level})
		level = 0
	}
}

// link adds bytes of a row to the place of a link.
func (l *layout) link(n, row, from, to int) {
	if n == 0 || n > len(l.place) {
		return
	}
	s := &l.place[n-1]
	if s.to == 0 {
		s.row, s.from = row, from
	}
	s.lastRow, s.to = row, to
}

// mark finds the marks of a text in its rows. These have the same bytes, except blanks and line ends.
func (l *layout) mark(text string, marks []mark) {
	row, at, link := 0, 0, 0
	for i := 0; i < len(text) && len(marks)+link > 0; i++ {
		if strings.IndexByte(" \t\n", text[i]) >= 0 {
			continue
		}
		for at == len(l.rows[row].text) || l.rows[row].text[at] == ' ' {
			if at++; at >= len(l.rows[row].text) {
				row, at = row+1, 0
			}
		}
		for ; len(marks) > 0 && marks[0].at <= i; marks = marks[1:] {
			if name := marks[0].Name; marks[0].Level > 0 {
				l.rows[row].style, l.rows[row].level = Heading, marks[0].Level
			} else if name == "" {
				link = marks[0].Link
			} else if _, ok := l.names[name]; !ok {
				l.names[name] = row
			}
		}
		at++
		l.link(link, row, at-1, at)
	}
}

// cutLeft returns s without its first cells, for text that is scrolled to the left.
func cutLeft(s string, cells int) string {
	for g := displaywidth.StringGraphemes(s); cells > 0 && g.Next(); {
		cells -= g.Width()
		s = s[len(g.Value()):]
	}
	return s
}
