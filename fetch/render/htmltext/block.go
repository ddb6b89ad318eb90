package htmltext

import (
	"fmt"
	"strings"
)

// start handles a start tag, except its links.
func (p *printer) start(t tag) {
	switch t.name {
	case "script", "style", "title", "noframes", "textarea", "svg", "math":
		if !t.isSelfClosing {
			p.hidden = t.name
		}
	case "pre", "listing", "xmp", "plaintext":
		p.line(2)
		p.flushWord()
		p.pre++
		p.preOpen = true
	case "br":
		p.flushWord()
		if p.blank > 0 || p.column <= 0 {
			p.blank = min(p.blank+1, 2)
		} else {
			p.blank = 1
		}
		p.space = false
	case "hr":
		p.line(1)
		p.piece(strings.Repeat("-", max(p.width-p.margin(), 1)))
		p.line(1)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		p.line(2)
		p.under = map[string]byte{"h1": '=', "h2": '-'}[t.name]
		p.place(Mark{Level: int(t.name[1] - '0')})
	case "img":
		if alt := strings.TrimSpace(t.alt); alt != "" {
			p.text([]byte("[" + alt + "]"))
		}
	case "input":
		p.input(t)
	case "td", "th":
		if p.endCell(); p.cells > 0 {
			p.text([]byte(" | "))
		}
		p.cells++
	default:
		p.block(t.name)
	}
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

// gap writes the line ends before and after a block.
func (p *printer) gap(name string) {
	switch name {
	case "p", "table", "blockquote", "form", "fieldset", "center":
		p.line(2)
	case "div", "address", "section", "article", "header", "footer", "main", "nav", "aside", "caption", "option", "legend", "figure", "figcaption",
		"details", "summary", "dialog", "hgroup", "search":
		p.line(1)
	}
}

// block handles elements that begin on a new line.
func (p *printer) block(name string) {
	p.gap(name)
	switch name {
	case "blockquote":
		p.setIn(4)
	case "table":
		p.endTable()
		p.table, p.cells = &table{}, 0
	case "tr":
		p.endRow()
	case "ul", "ol", "menu", "dir", "dl":
		p.line(1 + btoi(len(p.lists) == 0))
		p.begin(name)
	case "li":
		p.item()
	case "dt":
		p.term(false)
	case "dd":
		p.term(true)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *printer) begin(name string) {
	if len(p.lists) == listMax {
		p.deep++
		return
	}
	p.lists = append(p.lists, list{ordered: name == "ol", inDD: p.inDD})
	p.inDD = false
	if name != "dl" {
		p.setIn(4)
	}
}

func (p *printer) finish(name string) {
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
	if name != "dl" {
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
	p.out = append(p.out, strings.Repeat(" ", max(0, p.margin()-len(mark)))+mark...)
	p.column = max(p.margin(), len(mark))
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

// margin returns the blanks before the text of a line. Deeper elements are not indented more.
func (p *printer) margin() int { return min(p.indent, indentMax) }

func (p *printer) close(name string) {
	if p.hidden != "" {
		if name == p.hidden {
			p.hidden = ""
		}
		return
	}
	switch name {
	case "a":
		p.putNumber() // only the number is shown
		p.place(Mark{})
	case "h1", "h2", "h3", "h4", "h5", "h6":
		p.underline()
		p.line(2)
	case "pre", "listing", "xmp":
		if p.pre > 0 {
			p.pre--
		}
		p.line(2)
	case "ul", "ol", "menu", "dir", "dl":
		p.finish(name)
	case "table":
		p.endTable()
	case "tr":
		p.endRow()
	case "li", "dd", "dt":
		p.line(1)
	}
	if p.gap(name); name == "blockquote" {
		p.setIn(-4)
	}
}

// underline marks the headings of the first two levels.
func (p *printer) underline() {
	p.flushWord()
	n := min(p.column-p.margin(), p.width)
	if p.under == 0 || n <= 0 || p.blank > 0 {
		p.under = 0
		return
	}
	p.line(1)
	p.piece(strings.Repeat(string(p.under), n))
	p.under = 0
}
