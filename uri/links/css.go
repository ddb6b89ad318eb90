package links

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/uri"
)

// CSS yields the references of a style sheet: url(), @import, and the strings of image-set() (CSS Syntax 3, Values 4). Comments have none, and the URI
// of @namespace is a name. r is its text in UTF-8; base resolves the references. If a reference is invalid, its Link comes with an error. A read
// error comes last, with a zero Link.
func CSS(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		s := sheet{in: bufio.NewReader(r), base: base, yield: yield, line: 1}
		for !s.done && s.err == nil {
			s.token()
		}
		if !s.done && !errors.Is(s.err, io.EOF) {
			yield(Link{}, s.err)
		}
	}
}

// A sheet is the state of reading one style sheet.
type sheet struct {
	in     *bufio.Reader
	base   uri.Resolver
	yield  func(Link, error) bool
	line   int
	rule   string // the name of the current at-rule before its block, as "@import"
	images int    // open parentheses since "image-set(", including its own
	done   bool
	err    error
}

// next reads a byte. It returns 0 at the end.
func (s *sheet) next() byte {
	c, err := s.in.ReadByte()
	if err != nil {
		s.err = err
		return 0
	}
	if c == '\n' {
		s.line++
	}
	return c
}

func (s *sheet) peek() byte {
	b, err := s.in.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

// token reads one token.
func (s *sheet) token() {
	switch c := s.next(); {
	case c == '/' && s.peek() == '*':
		s.next()
		s.comment()
	case c == '"' || c == '\'':
		line := s.line
		if text, ok := s.quoted(c); ok && (s.rule == "@import" || s.images == 1) {
			s.link(text, line)
		}
	case c == '@':
		s.rule = "@" + s.name("")
	case c == ';' || c == '{' || c == '}':
		s.rule, s.images = "", 0
	case c == '(' && s.images > 0:
		s.images++
	case c == ')' && s.images > 0:
		s.images--
	case isName(c) || c == '\\':
		s.function(s.name(string(c)))
	}
}

// function handles a name, which is that of a function if a parenthesis follows.
func (s *sheet) function(name string) {
	if s.peek() != '(' {
		return
	}
	switch strings.TrimPrefix(name, "-webkit-") {
	case "url", "src":
		s.next()
		s.url()
	case "image-set":
		s.next()
		s.images = 1
	}
}

func (s *sheet) comment() {
	for s.err == nil {
		if s.next() == '*' && s.peek() == '/' {
			s.next()
			return
		}
	}
}

func isName(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c == '_' || c >= 0x80 }

// name reads the rest of a name, in lower case. A longer one than any of CSS is cut.
func (s *sheet) name(begin string) string {
	b := []byte(begin)
	for isName(s.peek()) {
		if c := s.next(); len(b) < 64 {
			b = append(b, c)
		}
	}
	return strings.ToLower(string(b))
}

// quoted reads the rest of a string. ok is false if it does not end in its line, or is too long.
func (s *sheet) quoted(quote byte) (text string, ok bool) {
	var b strings.Builder
	for s.err == nil && b.Len() < maxToken {
		switch c := s.next(); {
		case s.err != nil, c == '\n':
			return "", false
		case c == quote:
			return b.String(), true
		case c == '\\':
			b.WriteString(s.escape())
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// escape reads what follows a backslash: a line end, which is removed, up to six digits, or a character (CSS Syntax 3 section 4.3.7).
func (s *sheet) escape() string {
	c := s.next()
	if c == '\n' || c == 0 {
		return ""
	}
	digits := ""
	for isHex(c) {
		digits += string(c)
		if len(digits) == 6 || !isHex(s.peek()) {
			break
		}
		c = s.next()
	}
	if digits == "" {
		return string([]byte{c})
	}
	if p := s.peek(); p == ' ' || p == '\t' || p == '\n' {
		s.next()
	}
	n, _ := strconv.ParseUint(digits, 16, 32)
	return string(rune(n))
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// url reads the rest of url(...), with or without quotes.
func (s *sheet) url() {
	for p := s.peek(); p == ' ' || p == '\t' || p == '\n' || p == '\r'; p = s.peek() {
		s.next()
	}
	line := s.line
	if p := s.peek(); p == '"' || p == '\'' {
		if text, ok := s.quoted(s.next()); ok {
			s.link(text, line)
		}
		return
	}
	var b strings.Builder
	for s.err == nil && b.Len() < maxToken {
		switch c := s.next(); {
		case s.err != nil:
			return
		case c == ')':
			s.link(b.String(), line)
			return
		case c == '\\':
			b.WriteString(s.escape())
		default:
			b.WriteByte(c)
		}
	}
}

// link yields a reference. The URI of a @namespace, a reference within the sheet and a template's placeholder are not links.
func (s *sheet) link(ref string, line int) {
	ref = strings.Trim(ref, white)
	if ref == "" || s.rule == "@namespace" || ref[0] == '#' {
		return
	}
	l := Link{Ref: tidy(ref), Element: s.rule, Line: line}
	u, err := s.base.Resolve(l.Ref)
	if err == nil {
		l.URI = u
	}
	if !s.yield(l, err) {
		s.done = true
	}
}
