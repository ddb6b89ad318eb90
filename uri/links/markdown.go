package links

import (
	"io"
	"iter"
	"strings"

	"example.org/deref/uri"
)

// Markdown yields the links of Markdown (CommonMark 0.31, with the footnotes and bare URIs of GitHub): [text](destination "title"), images,
// definitions "[label]: destination", <URI>, HTML tags and bare URIs. What is in code or in a comment is not a link, and "[^label]:" defines a
// footnote. r is its text in UTF-8; base resolves the references. If a reference is invalid, its Link comes with an error. A read error comes last,
// with a zero Link.
func Markdown(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		p := paragraph{base: base}
		flush := func() bool {
			p.markdown()
			return p.flush(yield)
		}
		for l, err := range markdownLines(r) {
			if err != nil {
				if flush() {
					yield(Link{}, err)
				}
				return
			}
			if (l.kind != inText || len(p.text) > maxParagraph) && !flush() {
				return
			}
			if l.kind == inText || l.kind == inHeading || l.kind == inItem {
				p.add(l.text, l.number)
			}
			if l.kind == inHeading && !flush() {
				return
			}
		}
		flush()
	}
}

// A markdownLine is a line of Markdown in which comments are blank.
type markdownLine struct {
	textLine
	kind markdownKind
}

// A markdownKind is what a line is: a blank one, one of code, the first one of a list item, a heading, or any other text.
type markdownKind int

const (
	isBlank markdownKind = iota
	inCode
	inItem
	inHeading
	inText
)

// A markdownBlock is the state between two lines of Markdown.
type markdownBlock struct {
	fence   string // the mark that began a code block, or ""
	comment bool   // within a comment
	raw     string // within an element whose contents are not Markdown: its end tag
	text    bool   // the last line belongs to a paragraph
	list    int    // column of the contents of the current list item
}

func markdownLines(r io.Reader) iter.Seq2[markdownLine, error] {
	return func(yield func(markdownLine, error) bool) {
		var b markdownBlock
		for l, err := range textLines(r) {
			m := markdownLine{textLine: l}
			if err == nil {
				m.text, m.kind = b.line(l.text)
				b.text = m.kind == inText || m.kind == inItem
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// line returns the text of a line without comments, and its kind.
func (b *markdownBlock) line(line string) (string, markdownKind) {
	inner := strings.TrimLeft(line, " >\t")
	if b.fence != "" {
		if mark := fenceOf(inner); strings.HasPrefix(mark, b.fence) && strings.TrimSpace(inner[len(mark):]) == "" {
			b.fence = ""
		}
		return "", inCode
	}
	indent := indentOf(line)
	if line = b.withoutComments(line); b.isRaw(line) {
		return "", inCode
	}
	inner = strings.TrimLeft(line, " >\t")
	switch b.fence = opening(inner); {
	case inner == "":
		return "", isBlank
	case b.fence != "":
		return "", inCode
	case !b.text && indent < b.list:
		b.list = indent // the item has ended
	}
	if !b.text && indent >= b.list+4 { // section 4.4
		return "", inCode
	}
	if n := itemMark(inner); n > 0 {
		b.list = len(line) - len(inner) + n
		for m := n; m > 0; n += m {
			m = itemMark(inner[n:]) // of an item within the item
		}
		if b.fence = opening(strings.TrimLeft(inner[n:], " \t")); b.fence != "" {
			return "", inCode
		}
		return line, inItem
	}
	if strings.HasPrefix(inner, "#") && strings.HasPrefix(strings.TrimLeft(inner, "#"), " ") {
		return line, inHeading
	}
	return line, inText
}

// fenceOf returns the mark of a line that begins or ends a code block (section 4.5).
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// opening returns the mark of a line that begins a code block, or "".
func opening(line string) string {
	mark := fenceOf(line)
	if strings.HasPrefix(mark, "`") && strings.Contains(line[len(mark):], "`") {
		return "" // a code span
	}
	return mark
}

// itemMark returns the length of the mark of a list item with the blanks after it (section 5.2), or 0.
func itemMark(line string) int {
	n := 0
	switch {
	case line == "":
		return 0
	case strings.ContainsAny(line[:1], "-*+"):
		n = 1
	default:
		for n < len(line) && n < 9 && isDigit(line[n]) {
			n++
		}
		if n == 0 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	}
	rest := strings.TrimLeft(line[n:], " \t")
	if blanks := len(line) - n - len(rest); blanks > 0 {
		return n + min(blanks, 4)
	}
	return 0
}

// withoutComments blanks the comments of a line, which may begin or end in other lines.
func (b *markdownBlock) withoutComments(line string) string {
	if !b.comment && !strings.Contains(line, "<!--") {
		return line
	}
	text := []byte(line)
	masked := line
	if !b.comment {
		code := []byte(line)
		blankCode(code, func(from, to int) { blank(code[from:to]) })
		masked = string(code)
	}
	for at := 0; at < len(text); {
		if b.comment {
			n := strings.Index(line[at:], "-->")
			if n < 0 {
				blank(text[at:])
				break
			}
			blank(text[at : at+n+3])
			at += n + 3
			b.comment = false
			continue
		}
		n := strings.Index(masked[at:], "<!--")
		if n < 0 {
			break
		}
		at += n
		b.comment = true
	}
	return string(text)
}

// isRaw reports whether a line belongs to an element whose contents are not text (section 4.6, start condition 1).
func (b *markdownBlock) isRaw(line string) bool {
	lower := strings.ToLower(line)
	if b.raw == "" {
		inner := strings.TrimLeft(lower, " ")
		for _, name := range []string{"pre", "script", "style", "textarea"} {
			if rest, ok := strings.CutPrefix(inner, "<"+name); ok && (rest == "" || strings.IndexByte(" \t>", rest[0]) >= 0) {
				b.raw = "</" + name + ">"
			}
		}
	}
	if b.raw == "" {
		return false
	}
	if strings.Contains(lower, b.raw) {
		b.raw = ""
	}
	return true
}
