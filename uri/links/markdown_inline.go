package links

import (
	"bytes"
	"strings"

	"example.org/deref/uri"
)

// markdown finds the links of a paragraph of Markdown. It takes linear time.
func (p *paragraph) markdown() {
	blankQuotes(p.text)
	blankCode(p.text, p.blank)
	at := p.definitions()
	var open []int // brackets
	for at < len(p.text) {
		switch c := p.text[at]; c {
		case '\\':
			at += 2
			continue
		case '<':
			at = p.angle(at)
		case '[':
			if open = append(open, at); len(open) > maxOpen {
				open = open[1:]
			}
		case ']':
			if len(open) == 0 {
				break
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			at = p.inline(from, at)
		}
		at++
	}
	p.bare()
}

// maxOpen is how many open brackets are remembered.
const maxOpen = 256

// inline adds the link whose text is in the brackets at two offsets, and returns the offset of its last byte. If there is no link, it returns close.
func (p *paragraph) inline(open, close int) int {
	if close+1 >= len(p.text) || p.text[close+1] != '(' {
		return close
	}
	ref, end := destination(p.text, close+2)
	if end < 0 {
		return close
	}
	if end = closing(p.text, end); end < 0 {
		return close
	}
	element := "a"
	if open > 0 && p.text[open-1] == '!' {
		element = "img"
	}
	p.link(open, element, ref, strings.TrimLeft(string(p.text[open+1:min(close, open+1+maxLabel)]), "!["))
	p.blank(close, end)
	return end - 1
}

// definitions adds the link reference definitions at the beginning of a paragraph (section 4.7), and returns the end of the last one. The label of a
// footnote, "[^1]:", only is skipped.
func (p *paragraph) definitions() (at int) {
	for {
		from := at
		for from < len(p.text) && p.text[from] == ' ' {
			from++
		}
		if from == len(p.text) || p.text[from] != '[' {
			return at
		}
		n := bytes.IndexByte(p.text[from:min(len(p.text), from+maxLabel)], ']')
		if n < 0 || !bytes.HasPrefix(p.text[from+n+1:], []byte(":")) {
			return at
		}
		mark := from + n + 2
		if p.text[from+1] == '^' {
			return mark
		}
		ref, end := destination(p.text, mark)
		if end < 0 {
			return at
		}
		line := bytes.IndexByte(p.text[end:], '\n')
		if after := bytes.TrimSpace(p.text[end:max(end, end+line)]); len(after) > 0 && bytes.IndexByte([]byte(`"'(`), after[0]) < 0 {
			return at // a sentence
		}
		p.link(from, "a", ref, "")
		p.blank(from, end+line)
		at = end + line + 1
	}
}

// angle handles "<" at an offset: it leaves a URI to uri.Find, and adds the links of a tag. It returns the offset of the last byte.
func (p *paragraph) angle(at int) int {
	rest := p.text[at:min(len(p.text), at+maxLabel)]
	n := bytes.IndexAny(rest[1:], "<> \n") + 1
	if n > 0 && rest[n] == '>' {
		if u, err := uri.Parse(string(rest[1:n])); err == nil && u.IsAbs() {
			return at + n
		}
	}
	if end := p.html(at); end > at {
		return end - 1
	}
	return at
}

// destination parses a destination of section 6.3 at an offset: in angle brackets, or without blanks and with balanced parentheses. It returns the end,
// or -1 if there is none.
func destination(text []byte, from int) (ref string, end int) {
	for from < len(text) && (text[from] == ' ' || text[from] == '\n' || text[from] == '\t') {
		from++
	}
	if from < len(text) && text[from] == '<' {
		n := bytes.IndexAny(text[from+1:], "<>\n") + 1
		if n > 0 && text[from+n] == '>' {
			return unescape(string(text[from+1 : from+n])), from + n + 1
		}
		return "", -1
	}
	open, i := 0, from
scan:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && isPunctuation(text[i+1]):
			i++
		case c <= ' ':
			break scan
		case c == '(':
			if open++; open > maxParentheses {
				return "", -1
			}
		case c == ')' && open == 0:
			break scan
		case c == ')':
			open--
		}
	}
	return unescape(string(text[from:min(i, len(text))])), min(i, len(text))
}

// maxParentheses bounds the nested parentheses of a destination, as the reference implementation of CommonMark does.
const maxParentheses = 32

// closing parses the optional title of a link, and its ")". It returns the end, or -1.
func closing(text []byte, at int) int {
	skip := func() {
		for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t') {
			at++
		}
	}
	skip()
	if at < len(text) && strings.IndexByte(`"'(`, text[at]) >= 0 {
		quote := text[at]
		if quote == '(' {
			quote = ')'
		}
		n := 1
		for rest := text[at:min(len(text), at+maxLabel)]; ; n++ {
			if n >= len(rest) {
				return -1
			}
			if rest[n] == '\\' {
				n++
			} else if rest[n] == quote {
				break
			}
		}
		at += n + 1
		skip()
	}
	if at < len(text) && text[at] == ')' {
		return at + 1
	}
	return -1
}

// blankQuotes blanks the marks of a block quote at the beginning of lines (section 5.1).
func blankQuotes(text []byte) {
	start := true
	for i, c := range text {
		switch {
		case c == '\n':
			start = true
		case start && c == '>':
			text[i] = ' '
		case c != ' ':
			start = false
		}
	}
}

// blankCode calls clear for each code span, which is enclosed by equal numbers of backticks (section 6.1).
func blankCode(text []byte, clear func(from, to int)) {
	if bytes.IndexByte(text, '`') < 0 {
		return
	}
	last := map[int]int{} // the last run of each length
	for i := 0; i < len(text); {
		n := ticks(text[i:])
		if n > 0 {
			last[n] = i
		}
		i += max(n, 1)
	}
	for i := 0; i < len(text); {
		n := ticks(text[i:])
		if n == 0 && text[i] == '\\' {
			i += 2
			continue
		}
		if n == 0 || last[n] <= i {
			i += max(n, 1)
			continue
		}
		j := i + n
		for m := 0; m != n; j += max(m, 1) {
			m = ticks(text[j:])
		}
		clear(i, j)
		i = j
	}
}

// ticks counts the leading backticks of b.
func ticks(b []byte) (n int) {
	for n < len(b) && b[n] == '`' {
		n++
	}
	return n
}
