package waissource

import "strings"

// Kinds of tokens.
const (
	end = iota
	open
	closing
	word
	text
)

type token struct {
	kind int
	text string
}

type value struct {
	text string
	list []string // the words and texts of a list, without those of nested lists
	in   []value  // nested lists
}

type parser struct{ rest string }

// next returns the next token. "#(" is an opening parenthesis, too.
func (p *parser) next() token {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n\f")
	if strings.HasPrefix(p.rest, "#(") {
		p.rest = p.rest[1:]
	}
	if p.rest == "" {
		return token{kind: end}
	}
	switch c := p.rest[0]; c {
	case '(', ')':
		p.rest = p.rest[1:]
		return token{kind: open + int(c-'(')}
	case '"':
		return p.quoted()
	}
	n := strings.IndexAny(p.rest, " \t\r\n\f()\"")
	if n < 0 {
		n = len(p.rest)
	}
	t := token{word, p.rest[:n]}
	p.rest = p.rest[n:]
	return t
}

// quoted parses a text. The end of the file ends an unclosed one.
func (p *parser) quoted() token {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		c := p.rest[i]
		if c == '"' {
			p.rest = p.rest[i+1:]
			return token{text, b.String()}
		}
		if c == '\\' && i+1 < len(p.rest) {
			i++
			c = p.rest[i]
		}
		b.WriteByte(c)
	}
	p.rest = ""
	return token{kind: end}
}

func (p *parser) value(depth int) (v value, err error) {
	t := p.next()
	switch t.kind {
	case word, text:
		return value{text: t.text}, nil
	case open:
		return p.list(depth)
	}
	return v, Error("the file ends before a value")
}

func (p *parser) list(depth int) (v value, err error) {
	if depth == maxNesting {
		return v, Error("lists are nested too deeply")
	}
	for {
		switch t := p.next(); t.kind {
		case closing:
			return v, nil
		case open:
			w, err := p.list(depth + 1)
			if err != nil {
				return v, err
			}
			v.in = append(v.in, w)
		case word, text:
			v.list = append(v.list, t.text)
		default:
			return v, Error("the file ends within a list")
		}
	}
}
