package browse

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"example.org/deref/fetch/render"
)

// A prompt is a question on the last line.
type prompt struct {
	label  string
	text   []string // graphemes
	at     int      // before which of them the cursor is
	secret bool
	done   func(text string)
	left   func() // the user has left the question; may be nil
}

// ask shows a question. text is what the answer begins with.
func (b *Browser) ask(label, text string, done func(string)) *prompt {
	b.prompt = &prompt{label: render.Escape(label), text: graphemes(text), done: done}
	b.prompt.at = len(b.prompt.text)
	return b.prompt
}

func graphemes(s string) (list []string) {
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		list = append(list, g.Value())
	}
	return list
}

// maxAnswer bounds what can be entered.
const maxAnswer = 4 << 10

// key edits the answer.
func (p *prompt) key(b *Browser, k Key) {
	switch k {
	case Escape, Interrupt:
		b.prompt = nil
		if p.left != nil {
			p.left()
		}
	case Enter:
		b.prompt = nil
		p.done(strings.Join(p.text, ""))
	case Left:
		p.at = max(p.at-1, 0)
	case Right:
		p.at = min(p.at+1, len(p.text))
	case Home:
		p.at = 0
	case End:
		p.at = len(p.text)
	case ClearLine:
		p.text, p.at = nil, 0
	case Backspace:
		if p.at > 0 {
			p.at--
			p.remove()
		}
	case Delete:
		p.remove()
	default:
		if k.isText() && len(p.text) < maxAnswer {
			p.insert(string(k))
		}
	}
}

func (p *prompt) remove() {
	if p.at < len(p.text) {
		p.text = append(p.text[:p.at:p.at], p.text[p.at+1:]...)
	}
}

// insert inserts a character. It may combine with the one before.
func (p *prompt) insert(s string) {
	before := strings.Join(p.text[:p.at], "") + s
	after := p.text[p.at:]
	p.text = graphemes(before)
	p.at = len(p.text)
	p.text = append(p.text, after...)
}

// shown returns the part of the question that fits into width cells, and the column of the cursor.
func (p *prompt) shown(width int) (line string, cursor int) {
	label := p.label
	if n := displaywidth.String(label); n > width*2/3 {
		label = "…" + cutLeft(label, n-width*2/3+1)
	}
	room := width - displaywidth.String(label) - 1 // of the cursor
	cells := func(list []string) (n int) {
		for _, s := range list {
			n += displaywidth.String(p.visible(s))
		}
		return n
	}
	from := 0
	for cells(p.text[from:p.at]) > room && from < p.at {
		from++
	}
	to := from
	for to < len(p.text) && cells(p.text[from:to+1]) <= room {
		to++
	}
	line = label
	for _, s := range p.text[from:to] {
		line += p.visible(s)
	}
	return line, displaywidth.String(label) + cells(p.text[from:p.at])
}

// visible returns what the screen shows of one of the answer's graphemes, which may be from a server.
func (p *prompt) visible(s string) string {
	if p.secret {
		return "*"
	}
	return render.Escape(s)
}
