package browse

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"example.org/deref/fetch/render"
)

// A Style is how a part of the screen looks.
type Style uint8

const (
	Plain Style = iota
	Linked
	Selected
	Heading
	Quote
	Title  // the first line
	Match  // of the text that was searched for
	Notice // the last line
	Failure
)

// A Part is a part of a line in one style.
type Part struct {
	Text  string
	Style Style
}

// A Frame is what the screen shows: the lines from the top, of which none is wider than the screen, and where the cursor is. X is -1 if there
// is no cursor.
type Frame struct {
	Lines [][]Part
	X, Y  int
}

// Text returns the lines without their styles.
func (f Frame) Text() string {
	var s strings.Builder
	for _, line := range f.Lines {
		text := ""
		for _, p := range line {
			text += p.Text
		}
		s.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return s.String()
}

// Frame returns what the screen shows now.
func (b *Browser) Frame() Frame {
	f := Frame{X: -1}
	f.Lines = append(f.Lines, []Part{{b.titleLine(), Title}})
	v := b.visit()
	for i := range b.height - 2 {
		var line []Part
		if v.top+i < len(v.page.layout.rows) {
			line = b.line(v, v.top+i)
		}
		f.Lines = append(f.Lines, line)
	}
	if b.prompt != nil {
		text, cursor := b.prompt.shown(b.width)
		f.X, f.Y = cursor, len(f.Lines)
		f.Lines = append(f.Lines, []Part{{text, Notice}})
		return f
	}
	style := Notice
	if b.failed {
		style = Failure
	}
	f.Lines = append(f.Lines, []Part{{displaywidth.TruncateString(b.lastLine(), b.width, "…"), style}})
	return f
}

// titleLine returns the first line: what is shown, and which part of it.
func (b *Browser) titleLine() string {
	v := b.visit()
	name, where := b.name(v.target), ""
	if d := v.page.doc; d != nil && v.page.err == nil && v.target.own == "" && len(d.Via) > 0 {
		name = b.schemes.Redact(d.URI)
	}
	if n := len(v.page.layout.rows); n > b.body() {
		where = fmt.Sprintf(" %d%%", min(100, (v.top+b.body())*100/n))
	}
	name = displaywidth.TruncateString(render.Escape(name), b.width-len(where), "…")
	line := name + strings.Repeat(" ", max(0, b.width-displaywidth.String(name)-len(where))) + where
	return displaywidth.TruncateString(line, b.width, "…") // a very narrow screen has no room for where
}

// lastLine returns the message, what is in progress, or the target of the selected link.
func (b *Browser) lastLine() string {
	switch e, ok := b.selected(); {
	case b.message != "":
		return b.message
	case b.load != nil:
		return fmt.Sprintf("Loading %s, %d bytes; Esc stops", render.Escape(b.name(b.load.target)), b.load.received.n.Load())
	case b.job != nil:
		return strings.TrimSuffix(b.job.what+": "+b.job.state, ": ")
	case ok:
		return render.Escape(b.schemes.Redact(e.URI))
	}
	return "? lists the keys, g opens an address, q quits"
}

// line returns one row of the page with its links and matches.
func (b *Browser) line(v *visit, n int) []Part {
	r := v.page.layout.rows[n]
	styles := make([]Style, len(r.text))
	for i := range styles {
		styles[i] = r.style
	}
	paint := func(from, to int, s Style) {
		for i := max(from, 0); i < min(to, len(styles)); i++ {
			styles[i] = s
		}
	}
	for i, s := range v.page.layout.place {
		style := Linked
		if i+1 == v.link {
			style = Selected
		}
		from, to := s.on(n, r.text)
		paint(from, to, style)
	}
	if b.pattern != "" {
		lower, find := strings.ToLower(r.text), strings.ToLower(b.pattern)
		for at := 0; len(lower) == len(r.text); { // else the letters have other lengths
			i := strings.Index(lower[at:], find)
			if i < 0 {
				break
			}
			paint(at+i, at+i+len(find), Match)
			at += i + len(find)
		}
	}
	return b.visible(r.text, styles)
}

// visible returns the columns of a row that are on the screen.
func (b *Browser) visible(text string, styles []Style) (line []Part) {
	if b.unwrapped && b.shift > 0 {
		rest := cutLeft(text, b.shift)
		styles, text = styles[len(text)-len(rest):], rest
	}
	at, used := 0, 0
	for g := displaywidth.StringGraphemes(text); g.Next(); at += len(g.Value()) {
		if used += g.Width(); used > b.width {
			break
		}
		if n := len(line); n > 0 && line[n-1].Style == styles[at] {
			line[n-1].Text += g.Value()
		} else {
			line = append(line, Part{g.Value(), styles[at]})
		}
	}
	return line
}
