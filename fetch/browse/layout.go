package browse

import (
	"fmt"
	"math"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/wrap"
)

// A layout is a page in rows of the screen.
type layout struct {
	width     int
	unwrapped bool
	rows      []row
	place     []span // where each link is
	lines     []int  // the first row of each line of the text

	texts []int // of a listing: the lines of text before each link
	since int   // lines since the last link
}

// A row is one line on the screen.
type row struct {
	text  string
	style Style
}

// A span is the place of a link: from a row and byte up to another.
type span struct{ row, from, lastRow, to int }

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

// lay makes the rows. Links are where the text has their numbers, in this order. Those that the text does not show are listed at the end.
func (p *page) lay(width int, unwrapped bool) {
	p.layout = layout{width: width, unwrapped: unwrapped}
	l := &p.layout
	l.texts = p.texts()
	if p.doc != nil && p.err == nil && p.listed && render.IsGemtext(p.doc) {
		p.layGemtext(width, unwrapped)
		return
	}
	for line := range strings.Lines(p.show(width)) {
		l.lines = append(l.lines, len(l.rows))
		l.add(p, strings.TrimRight(line, "\n"), Plain)
	}
	for len(l.rows) > 0 && l.rows[len(l.rows)-1].text == "" {
		l.rows = l.rows[:len(l.rows)-1]
	}
	if rest := p.links[len(l.place):]; len(rest) > 0 {
		l.rows = append(l.rows, row{})
		for i, e := range rest {
			title := e.Title
			if title == "" {
				title = e.URI.Redacted(nil)
			}
			l.add(p, fmt.Sprintf("%5s %s", fmt.Sprintf("[%d]", len(p.links)-len(rest)+i+1), render.Escape(title)), Plain)
		}
	}
}

// layGemtext makes the rows of gemtext, whose links have rows of their own.
func (p *page) layGemtext(width int, unwrapped bool) {
	l := &p.layout
	if unwrapped {
		width = math.MaxInt32
	}
	for r, err := range render.Gemtext(p.document(), width) {
		if err != nil {
			l.rows = append(l.rows, row{"[" + render.Escape(err.Error()) + "]", Failure})
			break
		}
		style := Plain
		switch r.Type {
		case render.LineHeading:
			style = Heading
		case render.LineQuote:
			style = Quote
		}
		n := len(l.rows)
		l.rows = append(l.rows, row{r.Text, style})
		switch {
		case r.Link > len(l.place):
			l.place = append(l.place, span{n, 0, n, len(r.Text)})
		case r.Link > 0:
			l.place[r.Link-1].lastRow, l.place[r.Link-1].to = n, len(r.Text)
		}
	}
	if p.cut {
		l.rows = append(l.rows, row{}, row{longer, Plain})
	}
}

// add adds a line of text in as many rows as it takes.
func (l *layout) add(p *page, line string, style Style) {
	first := len(l.rows)
	starts := l.marks(p, line)
	hang := len(line) - len(strings.TrimLeft(line, " "))
	whole := len(starts) == 1 && strings.TrimSpace(line[:starts[0]]) == ""
	if whole {
		_, rest, _ := strings.Cut(line[starts[0]:], "]")
		hang = len(line) - len(strings.TrimLeft(rest, " "))
	}
	parts := []string{wrap.Expand(line)}
	if !l.unwrapped {
		parts = wrap.Text(line, l.width, hang)
	}
	for _, part := range parts {
		l.rows = append(l.rows, row{part, style})
	}
	last := len(l.rows) - 1
	if whole {
		l.place = append(l.place, span{first, 0, last, len(l.rows[last].text)})
		return
	}
	at, from := first, 0
	for range starts {
		mark := fmt.Sprintf("[%d]", len(l.place)+1)
		for at <= last && !strings.Contains(l.rows[at].text[from:], mark) {
			at, from = at+1, 0
		}
		if at > last { // the number is longer than a row
			at, from = last, 0
			l.place = append(l.place, span{last, 0, last, len(l.rows[last].text)})
			continue
		}
		from += strings.Index(l.rows[at].text[from:], mark)
		to := from + len(mark)
		to += titled(l.rows[at].text[to:], p.links[len(l.place)].Title)
		l.place = append(l.place, span{at, from, at, to})
		from = to
	}
}

// texts returns the number of entries that are only text before each link of a listing.
func (p *page) texts() (list []int) {
	n := 0
	for _, e := range p.entries {
		if e.URI.IsZero() && len(e.Attr) == 0 {
			n++
		} else if !e.URI.IsZero() {
			list, n = append(list, n), 0
		}
	}
	return list
}

// marks returns where the line has the numbers of the next links. In a listing, a link begins a line, and lines of text may look like that.
func (l *layout) marks(p *page, line string) (starts []int) {
	next := func() (string, bool) {
		n := len(l.place) + len(starts)
		return fmt.Sprintf("[%d]", n+1), n < len(p.links)
	}
	if p.listed {
		mark, ok := next()
		l.since++
		if ok && strings.HasPrefix(line, fmt.Sprintf("%5s ", mark)) && l.since > l.texts[len(l.place)] {
			l.since = 0
			return []int{strings.Index(line, mark)}
		}
		return nil
	}
	from := 0
	for mark, ok := next(); ok; mark, ok = next() {
		n := strings.Index(line[from:], mark)
		if n < 0 {
			return starts
		}
		starts = append(starts, from+n)
		from += n + len(mark)
	}
	return starts
}

// titled returns how many bytes of text are the beginning of a link's title, in whole words.
func titled(text, title string) int {
	n := 0
	for n < len(text) && n < len(title) && text[n] == title[n] {
		n++
	}
	for n > 0 && n < len(text) && text[n] != ' ' && text[n-1] != ' ' && n < len(title) {
		n--
	}
	return len(strings.TrimRight(text[:n], " "))
}

// cutLeft returns s without its first cells, for text that is scrolled to the left.
func cutLeft(s string, cells int) string {
	for g := displaywidth.StringGraphemes(s); cells > 0 && g.Next(); {
		cells -= g.Width()
		s = s[len(g.Value()):]
	}
	return s
}
