package links

import (
	"cmp"
	"html"
	"io"
	"iter"
	"slices"
	"strings"

	"example.org/deref/uri"
)

// Bounds of the formats that are read line by line.
const (
	maxTextLine  = 1 << 20  // a page may contain an image as a data: URI
	maxParagraph = 64 << 10 // lines whose links are found together
	maxLabel     = 4 << 10  // a title, or a tag within a text
)

// A paragraph holds consecutive lines of a text whose links are found together.
type paragraph struct {
	base  uri.Resolver
	line  int    // number of the first line
	text  []byte // each line ends with LF; what has been read is blank
	found []placed
}

// A placed link begins at an offset of its paragraph.
type placed struct {
	at   int
	link Link
	err  error
}

// add appends a line, without its end. The first one determines the number.
func (p *paragraph) add(line string, number int) {
	if len(p.text) == 0 {
		p.line = number
	}
	p.text = append(append(p.text, line...), '\n')
}

// link adds the link of a reference at an offset.
func (p *paragraph) link(at int, element, ref, label string) {
	if ref == "" {
		return
	}
	u, err := p.base.Resolve(ref)
	p.found = append(p.found, placed{at, Link{URI: u, Ref: ref, Element: element, Title: title(label)}, err})
}

// blank overwrites a part of the text, except line ends, so that nothing else is found there.
func (p *paragraph) blank(from, to int) { blank(p.text[from:to]) }

func blank(b []byte) {
	for i, c := range b {
		if c != '\n' {
			b[i] = ' '
		}
	}
}

// bare adds what looks like a URI in the rest of the text.
func (p *paragraph) bare() {
	text := string(p.text)
	for f := range uri.Find(text) {
		p.found = append(p.found, placed{f.Start, Link{URI: f.URI.ASCII(), Ref: text[f.Start:f.End]}, nil})
	}
}

// html adds the links of a tag in the text, and blanks it. It returns the end of the tag, or at if there is no tag.
func (p *paragraph) html(at int) int {
	end := tagEnd(p.text, at)
	if end < 0 {
		return at
	}
	tag := string(p.text[at:end])
	if !strings.Contains(tag, "=") { // a Tokenizer takes time
		tag = ""
	}
	for l, err := range HTML(strings.NewReader(tag), p.base) {
		if l.Element != "base" {
			p.found = append(p.found, placed{at, l, err})
		}
	}
	p.blank(at, end)
	return end
}

// tagEnd returns the end of the tag at an offset, or -1.
func tagEnd(text []byte, at int) int {
	rest := text[at:min(len(text), at+maxLabel)]
	if len(rest) < 3 || !isLetter(rest[1]) && (rest[1] != '/' || !isLetter(rest[2])) {
		return -1
	}
	quote := byte(0)
	for i, c := range rest {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return at + i + 1
		case c == '<' && i > 0:
			return -1
		}
	}
	return -1
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// flush yields the links in the order of the text, and empties the paragraph.
func (p *paragraph) flush(yield func(Link, error) bool) bool {
	slices.SortStableFunc(p.found, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	line, at := p.line, 0
	for _, f := range p.found {
		line += strings.Count(string(p.text[at:f.at]), "\n")
		at = f.at
		f.link.Line = line
		if !yield(f.link, f.err) {
			return false
		}
	}
	p.text, p.found = p.text[:0], p.found[:0]
	return true
}

// textLines yields the numbered lines of r, and a read error last.
func textLines(r io.Reader) iter.Seq2[textLine, error] {
	return func(yield func(textLine, error) bool) {
		n := 0
		for line, err := range linesOf(r, maxTextLine) {
			if n++; !yield(textLine{strings.TrimSuffix(line, "\r"), n}, err) {
				return
			}
		}
	}
}

type textLine struct {
	text   string
	number int
}

// indentOf returns the number of columns before the text of a line.
func indentOf(line string) (n int) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// unescape removes the backslashes before ASCII punctuation, and resolves character references (CommonMark 0.31 sections 2.4 and 2.5).
func unescape(s string) string {
	if strings.Contains(s, `\`) {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunctuation(s[i+1]) {
				i++
			}
			b.WriteByte(s[i])
		}
		s = b.String()
	}
	return html.UnescapeString(s)
}

func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c)
}
