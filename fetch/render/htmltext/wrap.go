package htmltext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// first returns the beginning of word after which a line may end, and its cells. A line may end after a wide character unless that opens
// a bracket, or closing punctuation follows (UAX #14 classes ID, OP, CL, EX and NS in short).
func first(word []byte) (part []byte, cells int) {
	end, wide := 0, false
	for g := displaywidth.BytesGraphemes(word); g.Next(); {
		r, _ := utf8.DecodeRune(g.Value())
		if wide && !staysWithPrevious(r) {
			break
		}
		end += len(g.Value())
		cells += g.Width()
		wide = wide && staysWithPrevious(r) || g.Width() == 2 && !unicode.In(r, unicode.Ps, unicode.Pi)
	}
	return word[:end], cells
}

// staysWithPrevious reports whether a line must not begin with r: closing and other punctuation, small kana and marks of length.
func staysWithPrevious(r rune) bool {
	return unicode.In(r, unicode.Pe, unicode.Pf, unicode.Po, unicode.Lm, unicode.Mn) || strings.ContainsRune("ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ", r)
}

// tabStop is the distance of tab stops.
const tabStop = 8

// ExpandTabs replaces tabs by blanks up to the next of the stops, which are 8 cells apart.
func ExpandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	column := 0
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			n := tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", n))
			column += n
		}
		b.WriteString(part)
		column += displaywidth.String(part)
	}
	return b.String()
}

// Wrap breaks one line of text between its words. No line takes more than width cells, of which there must be at least 2: a longer word is cut. Lines
// after the first are indented by hang blanks, unless these take more than half of the width or leave less than 2 cells. Blanks within a line stay,
// and bytes that are not UTF-8 become U+FFFD, because their cells depend on what is next to them. The result has at least one line.
func Wrap(s string, width, hang int) (lines []string) {
	if s = ExpandTabs(strings.ToValidUTF8(s, "\uFFFD")); displaywidth.String(s) <= width {
		return []string{s}
	}
	width = max(width, 2)
	if hang > width/2 || hang > width-2 {
		hang = 0
	}
	b := breaker{width: width, hang: hang}
	for s != "" {
		word := strings.TrimLeft(s, " ")
		blanks := len(s) - len(word)
		if n := strings.IndexByte(word, ' '); n >= 0 {
			word = word[:n]
		}
		s = s[blanks+len(word):]
		for text := []byte(word); len(text) > 0; blanks = 0 {
			part, cells := first(text)
			b.put(blanks, string(part), cells)
			text = text[len(part):]
		}
	}
	return append(b.lines, b.line.String())
}

// A breaker collects lines.
type breaker struct {
	width, hang int
	lines       []string
	line        strings.Builder
	column      int
	used        bool // the line has a word
}

// put adds part of a word after a number of blanks.
func (b *breaker) put(blanks int, part string, cells int) {
	if b.used && b.column+blanks+cells > b.width {
		b.next()
		blanks = 0
	}
	if b.column+blanks+min(cells, 2) > b.width { // an indentation that leaves no room
		blanks = 0
	}
	b.line.WriteString(strings.Repeat(" ", blanks))
	b.column += blanks
	b.used = true
	if b.column+cells <= b.width {
		b.line.WriteString(part)
		b.column += cells
		return
	}
	b.cut(part)
}

// cut adds text that may be longer than a line.
func (b *breaker) cut(s string) {
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if b.column+g.Width() > b.width && b.column > 0 {
			b.next()
		}
		b.line.WriteString(g.Value())
		b.column += g.Width()
		b.used = true
	}
}

// next begins a line.
func (b *breaker) next() {
	b.lines = append(b.lines, b.line.String())
	b.line.Reset()
	b.line.WriteString(strings.Repeat(" ", b.hang))
	b.column, b.used = b.hang, false
}
