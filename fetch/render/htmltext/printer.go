package htmltext

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/net/html"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// atStart is the column before the first line, which has no blank lines before it.
const atStart = -1

const (
	indentMax  = 32      // deeper lists are not indented more
	listMax    = 64      // deeper lists are not numbered
	wordMax    = 4 << 10 // a longer word is split
	referMax   = 10_000  // links listed at the end
	referBytes = 1 << 20 // and their total length
)

// A printer formats text.
type printer struct {
	linker
	w       io.Writer
	out     []byte
	err     error
	width   int
	column  int // cells of the terminal in the line, atStart
	blank   int // line ends to write before the next word: 1 for a new line, 2 for a blank line
	space   bool
	word    []byte
	indent  int
	lists   []list
	deep    int // lists beyond listMax
	inDD    bool
	pre     int  // number of open verbatim elements
	preOpen bool // at its start, where a line end is dropped
	hidden  string
	cells   int    // in this row
	table   *table // the open one, if its text is held back
	lines   int    // line ends written
	under   byte
	number  int   // of a link whose text has not begun, or 0; blanks are before it
	asks    *Form // of that link
	refs    []string
	refSize int
	dropped int
	bare    bool // do not list the references
	mark    func(Mark)
	marks   []place // for which mark was not called yet
	written int     // bytes of all words before this one
}

// A place is a Mark before a byte of the words.
type place struct {
	at int
	Mark
}

type list struct {
	ordered bool
	n       int
	inDD    bool // of the outer list
}

// token returns false when nothing more can be written.
func (p *printer) token(z *markup.Tokenizer, kind html.TokenType) bool {
	switch kind {
	case html.TextToken:
		p.form.text(z.Text())
		if p.hidden == "" {
			p.text(unbroken(z.Text()))
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		t := readTag(z)
		t.isSelfClosing = kind == html.SelfClosingTagToken
		l, ok := p.follow(t)
		if t.id != "" {
			p.place(Mark{Name: t.id})
		}
		if p.hidden == "" {
			p.start(t)
		}
		if ok {
			p.link(l, t.name)
		}
	case html.EndTagToken:
		tag := z.Name()
		switch tag {
		case "form":
			p.finishForm()
		case "select", "textarea":
			p.form.label()
		}
		p.close(tag)
	}
	return p.err == nil
}

// unbroken returns text without the characters that only allow or forbid the end of a line, such as &shy;. A terminal must not receive them, and the
// lines of this view end between words.
func unbroken(s []byte) []byte {
	for _, c := range [...]string{"\u00ad", "\u200b", "\u2060", "\ufeff"} {
		if bytes.Contains(s, []byte(c)) {
			s = bytes.ReplaceAll(s, []byte(c), nil)
		}
	}
	return s
}

// finishForm shows the link to a form, which has no text of its own. Who follows links is told why there is none.
func (p *printer) finishForm() {
	f := p.form
	if l, ok := p.closeForm(); ok {
		p.link(l, "")
	} else if f != nil && f.isPost && p.mark != nil {
		p.line(1)
		p.text([]byte("(This form needs POST, which is not sent from here.)"))
	}
}

// link writes the number of a link before its text. A link without text also has a number.
func (p *printer) link(l link, from string) {
	s := uri.RFC3986.Encode(l.uri, uri.SafePrint).Redacted(nil)
	if p.dropped == 0 && len(p.refs) < referMax && p.refSize+len(s) < referBytes {
		p.refs = append(p.refs, s)
		p.refSize += len(s)
	} else {
		p.dropped++
	}
	if p.hidden != "" {
		return
	}
	p.number, p.asks = p.n, l.form
	switch {
	case from == "frame", from == "iframe":
		p.piece("(frame)")
	case from == "area", from == "meta", from == "link":
		p.piece(l.title)
	case l.kind == fetch.KindSearch, l.form != nil:
		p.text([]byte(" " + l.title + " <?>")) // like a search in listings
	default:
		return
	}
	p.place(Mark{})
	p.line(1)
}

// text formats text: words with single blanks between them, or verbatim.
func (p *printer) text(s []byte) {
	if p.pre > 0 {
		p.verbatim(s)
		return
	}
	for _, c := range s {
		switch c {
		case ' ', '\t', '\n', '\r', '\f':
			p.flushWord()
			p.space = true
		default:
			p.putNumber()
			if len(p.word) >= wordMax && utf8.RuneStart(c) {
				p.flushWord()
			}
			p.word = append(p.word, c)
		}
	}
}

// piece writes a word that is not from the page.
func (p *printer) piece(s string) {
	p.putNumber()
	p.word = append(p.word, s...)
}

func (p *printer) putNumber() {
	if p.number > 0 && (!p.bare || p.mark != nil) {
		p.place(Mark{Link: p.number, Form: p.asks})
		p.word = fmt.Appendf(p.word, "[%d]", p.number)
	}
	p.number = 0
}

// place adds a Mark before the next byte of the word.
func (p *printer) place(m Mark) {
	if p.mark != nil {
		p.marks = append(p.marks, place{p.written + len(p.word), m})
	}
}

func (p *printer) verbatim(s []byte) {
	p.putNumber()
	p.flushWord()
	from := 0 // where the line begins in s
	for i, c := range s {
		first := p.preOpen
		p.preOpen = false
		switch {
		case c == '\r', c == '\n' && first:
			p.preOpen = first && c == '\r'
		case c == '\n':
			p.newline()
			p.out = append(p.out, '\n')
			p.column, p.lines = 0, p.lines+1
			from = i + 1
		default:
			p.newline()
			p.out = append(p.out, c)
		}
		p.space = false
		p.send(false)
	}
	if n := displaywidth.Bytes(s[from:]); n > 0 {
		p.column = max(p.column, 0) + n
	}
}

// line sets the number of line ends before the next word to at least n.
func (p *printer) line(n int) {
	p.flushWord()
	p.space = false
	if p.column != atStart {
		p.blank = max(p.blank, n)
	}
}

// newline writes the line ends before the next word.
func (p *printer) newline() {
	if p.blank == 0 {
		return
	}
	if p.column > 0 {
		p.out = append(p.out, '\n')
	}
	if p.blank == 2 {
		p.out = append(p.out, '\n')
	}
	p.blank, p.column, p.lines = 0, 0, p.lines+1
}

// flushWord writes the collected word, on the next line if this one is full. A word in Chinese or Japanese, which is not written with blanks
// between words, is continued on the next line.
func (p *printer) flushWord() {
	if len(p.word) > 0 {
		p.newline()
	}
	for word := p.word; len(word) > 0; {
		part, n := first(word)
		p.put(part, n)
		word = word[len(part):]
	}
	p.word = p.word[:0]
	p.write(nil)
	p.send(false)
}

// put writes part of a word, which takes n cells.
func (p *printer) put(part []byte, n int) {
	in := p.margin()
	if p.column > in && p.column+btoi(p.space)+n > p.width {
		p.out = append(p.out, '\n')
		p.column, p.space, p.lines = 0, false, p.lines+1
	}
	if p.column < in {
		p.out = append(p.out, strings.Repeat(" ", in-max(p.column, 0))...)
		p.column = in
	} else if p.space && p.column > in {
		p.out = append(p.out, ' ')
		p.column++
	}
	p.write(part)
	p.column, p.space = max(p.column, 0)+n, false
}

// write writes bytes of words, with the marks before, within and after them.
func (p *printer) write(part []byte) {
	for len(p.marks) > 0 && p.marks[0].at <= p.written+len(part) {
		n := p.marks[0].at - p.written
		p.out = append(p.out, part[:n]...)
		if t := p.table; t != nil {
			t.steps = append(t.steps, step{at: len(p.out), mark: &p.marks[0].Mark})
		} else {
			p.send(true)
			p.mark(p.marks[0].Mark)
		}
		part, p.written, p.marks = part[n:], p.written+n, p.marks[1:]
	}
	p.out = append(p.out, part...)
	p.written += len(part)
}

func (p *printer) send(all bool) {
	if p.table != nil {
		if len(p.out)+100*(len(p.table.steps)+len(p.table.rows)) < tableMax {
			return
		}
		p.table.isOff = true
		p.release()
	}
	if p.err == nil && (all || len(p.out) > 8<<10) {
		_, p.err = p.w.Write(p.out)
		p.out = p.out[:0]
	} else if p.err != nil {
		p.out = p.out[:0]
	}
}

// end lists the targets of the links.
func (p *printer) end() {
	p.putNumber()
	p.endTable()
	if len(p.refs) > 0 && !p.bare {
		p.indent, p.pre, p.under = 0, 0, 0
		p.line(2)
		p.piece("References")
		p.flushWord()
		for i, ref := range p.refs {
			p.out = fmt.Appendf(p.out, "\n%5s %s", fmt.Sprintf("[%d]", i+1), ref)
			p.send(false)
		}
		if p.dropped > 0 {
			p.out = fmt.Appendf(p.out, "\n      and %d more", p.dropped)
		}
		p.column = 1
	}
	if p.column > 0 {
		p.out = append(p.out, '\n')
	}
	p.send(true)
}
