package htmltext

import (
	"fmt"
	"strings"

	"golang.org/x/net/html/atom"
)

// start handles a start tag, except its links.
func (p *printer) start(t tag) {
	switch t.name {
	case atom.Script, atom.Style, atom.Title, atom.Noframes, atom.Textarea, atom.Svg, atom.Math:
		if !t.isSelfClosing {
			p.hidden = t.name
		}
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		p.line(2)
		p.flushWord()
		p.pre++
		p.preOpen = true
	case atom.Br:
		p.flushWord()
		if p.blank > 0 || p.column <= 0 {
			p.blank = min(p.blank+1, 2)
		} else {
			p.blank = 1
		}
		p.space = false
	case atom.Hr:
		p.line(1)
		p.piece(strings.Repeat("-", p.width-p.indent))
		p.line(1)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.line(2)
		p.under = headline(t.name)
		p.place(Mark{Level: int(t.name.String()[1] - '0')})
	case atom.Img:
		if alt := strings.TrimSpace(t.alt); alt != "" {
			p.text([]byte("[" + alt + "]"))
		}
	case atom.Input:
		p.input(t)
	case atom.Td, atom.Th:
		p.startCell()
	default:
		p.block(t.name)
	}
}

func headline(h atom.Atom) byte {
	switch h {
	case atom.H1:
		return '='
	case atom.H2:
		return '-'
	}
	return 0
}

func (p *printer) input(t tag) {
	switch t.kind {
	case "hidden":
	case "submit", "button", "reset", "checkbox", "radio":
		p.text([]byte("[" + t.value + "]"))
	default:
		p.text([]byte("[" + t.value + "____]"))
	}
}

// block handles elements that begin on a new line.
func (p *printer) block(name atom.Atom) {
	switch name {
	case atom.P, atom.Table, atom.Blockquote, atom.Form, atom.Fieldset, atom.Center:
		p.line(2)
		if name == atom.Blockquote {
			p.setIn(4)
		} else if name == atom.Table {
			p.startTable()
		}
	case atom.Div, atom.Address, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Caption, atom.Option, atom.Legend, atom.Figure, atom.Figcaption:
		p.line(1)
	case atom.Tr:
		p.endRow()
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir, atom.Dl:
		p.line(1 + btoi(len(p.lists) == 0))
		p.begin(name)
	case atom.Li:
		p.item()
	case atom.Dt:
		p.term(false)
	case atom.Dd:
		p.term(true)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *printer) begin(name atom.Atom) {
	if len(p.lists) == listMax {
		p.deep++
		return
	}
	p.lists = append(p.lists, list{ordered: name == atom.Ol, inDD: p.inDD})
	p.inDD = false
	if name != atom.Dl {
		p.setIn(4)
	}
}

func (p *printer) finish(name atom.Atom) {
	if p.deep > 0 {
		p.deep--
		return
	}
	if len(p.lists) == 0 {
		return
	}
	p.term(false)
	last := p.lists[len(p.lists)-1]
	p.lists = p.lists[:len(p.lists)-1]
	p.inDD = last.inDD
	if name != atom.Dl {
		p.setIn(-4)
	}
	p.line(1 + btoi(len(p.lists) == 0))
}

// item begins an LI. Its mark is to the left of the text.
func (p *printer) item() {
	mark := "* "
	if n := len(p.lists); n > 0 && p.lists[n-1].ordered && p.deep == 0 {
		p.lists[n-1].n++
		mark = fmt.Sprintf("%d. ", p.lists[n-1].n)
	}
	p.line(1)
	p.flushWord()
	p.newline()
	p.out = append(p.out, strings.Repeat(" ", max(0, min(p.indent, indentMax)-len(mark)))+mark...)
	p.column = max(min(p.indent, indentMax), len(mark))
	p.space = false
	p.send(false)
}

// term begins a DT, or a DD, whose text is indented.
func (p *printer) term(dd bool) {
	p.line(1)
	p.setIn(4 * (btoi(dd) - btoi(p.inDD)))
	p.inDD = dd
}

func (p *printer) setIn(by int) {
	p.flushWord()
	p.indent = max(0, p.indent+by)
}

func (p *printer) close(name atom.Atom) {
	if p.hidden != 0 {
		if name == p.hidden {
			p.hidden = 0
		}
		return
	}
	switch name {
	case atom.A:
		p.putNumber() // only the number is shown
		p.place(Mark{})
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.underline()
		p.line(2)
	case atom.Pre, atom.Listing, atom.Xmp:
		if p.pre > 0 {
			p.pre--
		}
		p.line(2)
	case atom.Blockquote:
		p.line(2)
		p.setIn(-4)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir, atom.Dl:
		p.finish(name)
	case atom.Table:
		p.endTable()
		p.line(2)
	case atom.Tr:
		p.endRow()
	case atom.P, atom.Form, atom.Fieldset, atom.Center:
		p.line(2)
	case atom.Div, atom.Address, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Li, atom.Dd, atom.Dt, atom.Caption, atom.Option, atom.Legend:
		p.line(1)
	}
}

// underline marks the headings of the first two levels.
func (p *printer) underline() {
	p.flushWord()
	if p.under == 0 || p.column <= p.indent || p.blank > 0 {
		p.under = 0
		return
	}
	n := min(p.column-p.indent, p.width)
	p.line(1)
	p.piece(strings.Repeat(string(p.under), n))
	p.under = 0
}
