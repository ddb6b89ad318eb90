package links

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/deref/uri"
)

// CSS yields the references of a style sheet: url(), @import, and the strings of image-set() (CSS Syntax 3, Values 4). Comments have none, and the URI
// of @namespace is a name. r is its text in UTF-8; base resolves the references. If a reference is invalid, its Link comes with an error. A read
// error comes last, with a zero Link.
func CSS(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		s := sheet{in: bufio.NewReader(r), base: base, yield: func(l located, err error) bool { return yield(l.Link, err) }, line: 1}
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
	yield  func(located, error) bool
	text   func([]byte) []byte // decodes a piece to UTF-8; nil for UTF-8
	keep   bool                // keep what is read in raw
	write  func([]byte)        // gets what was kept and holds no reference; nil keeps everything
	raw    []byte              // read, and not written yet
	from   int                 // of the reference that is being read, in raw; -1 for none
	lead   bool                // the last byte is the first of two, and the next one means nothing by itself
	pairs  map[[2]byte]bool    // the results of isPair
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
	if s.keep {
		if s.raw = append(s.raw, c); s.write != nil && s.from < 0 && len(s.raw) >= flushed {
			s.flush(len(s.raw))
		}
	}
	if s.text != nil {
		s.lead = !s.lead && c >= 0x80 && s.isPair(c, s.peek())
	}
	return c
}

// flushed is how many bytes are written together.
const flushed = 4 << 10

// flush writes the first n bytes of raw.
func (s *sheet) flush(n int) {
	s.write(s.raw[:n])
	s.raw = append(s.raw[:0], s.raw[n:]...)
}

// isPair reports whether two bytes are one character, the second of which may be a byte of ASCII: Shift_JIS has characters that end in a backslash.
func (s *sheet) isPair(a, b byte) bool {
	if b < 0x40 || b >= 0x80 {
		return false // without effect on the syntax
	}
	is, known := s.pairs[[2]byte{a, b}]
	if !known {
		text := s.text([]byte{a, b})
		if is = utf8.RuneCount(text) == 1 && !bytes.ContainsRune(text, utf8.RuneError); s.pairs == nil {
			s.pairs = map[[2]byte]bool{}
		}
		s.pairs[[2]byte{a, b}] = is
	}
	return is
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
	s.from = -1
	second := s.lead
	switch c := s.next(); {
	case second:
	case c == '/' && s.peek() == '*':
		s.next()
		s.comment()
	case c == '"' || c == '\'':
		line := s.line
		s.begin()
		if text, ok := s.quoted(c); ok && (s.rule == "@import" || s.images == 1) {
			s.link(text, line)
		}
	case c == '@':
		s.rule = "@" + s.name(0)
	case c == ';' || c == '{' || c == '}':
		s.rule, s.images = "", 0
	case c == '(' && s.images > 0:
		s.images++
	case c == ')' && s.images > 0:
		s.images--
	case isName(c) || c == '\\':
		s.function(s.name(c))
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
func (s *sheet) name(begin byte) string {
	var b []byte
	add := func(c byte) {
		text := string([]byte{c})
		if c == '\\' {
			text = s.escape()
		}
		if len(b) < 64 {
			b = append(b, text...)
		}
	}
	if begin != 0 {
		add(begin)
	}
	for s.lead || isName(s.peek()) || s.isEscape() {
		switch second := s.lead; {
		case !second:
			add(s.next())
		case len(b) < 64:
			b = append(b, s.next())
		default:
			s.next()
		}
	}
	return strings.ToLower(string(b))
}

// isEscape reports whether a character of a name follows that is written with a backslash.
func (s *sheet) isEscape() bool {
	p, err := s.in.Peek(2)
	return err == nil && p[0] == '\\' && p[1] != '\n' && p[1] != '\r' && p[1] != '\f'
}

// quoted reads the rest of a string, or up to a parenthesis. ok is false if a string does not end in its line, or if it is too long.
func (s *sheet) quoted(end byte) (text string, ok bool) {
	var b strings.Builder
	for s.err == nil && b.Len() < maxToken && len(s.raw) < 2*maxToken {
		second := s.lead
		switch c := s.next(); {
		case s.err != nil, isLineEnd(c) && end != ')':
			return "", false
		case second:
			b.WriteByte(c)
		case c == end:
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
	if s.endLine(c); c == 0 || isLineEnd(c) {
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
	if p := s.peek(); p == ' ' || p == '\t' || isLineEnd(p) {
		s.endLine(s.next())
	}
	n, _ := strconv.ParseUint(digits, 16, 32)
	if text := string(rune(n)); s.text == nil || len(text) == 1 {
		return text
	}
	return string(uri.Segment.Escape(uri.RFC3986, string(rune(n)))) // what is around it is not UTF-8
}

// isLineEnd reports whether c ends a line, as does CRLF (CSS Syntax 3 section 3.3).
func isLineEnd(c byte) bool { return c == '\n' || c == '\r' || c == '\f' }

// endLine reads the LF of a CRLF, of which c is the first byte.
func (s *sheet) endLine(c byte) {
	if c == '\r' && s.peek() == '\n' {
		s.next()
	}
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// url reads the rest of url(...), with or without quotes.
func (s *sheet) url() {
	for p := s.peek(); p == ' ' || p == '\t' || isLineEnd(p); p = s.peek() {
		s.next()
	}
	line, end := s.line, byte(')')
	if p := s.peek(); p == '"' || p == '\'' {
		end = s.next()
	}
	s.begin()
	if text, ok := s.quoted(end); ok {
		s.link(text, line)
	}
}

// begin notes that a reference begins after the last byte.
func (s *sheet) begin() { s.from = len(s.raw) }

// link yields a reference, whose last byte is the one before the last that was read. The URI of a @namespace, a reference within the sheet and a
// template's placeholder are not links.
func (s *sheet) link(ref string, line int) {
	if s.text != nil {
		ref = string(s.text([]byte(ref)))
	}
	ref = uri.TrimRef(ref)
	if ref == "" || s.rule == "@namespace" || ref[0] == '#' {
		return
	}
	u, err := s.base.Resolve(ref)
	l := Link{URI: u, Ref: ref, Element: s.rule, Embedded: true, Line: line}
	if !s.yield(located{l, span{s.from, len(s.raw) - 1}}, err) {
		s.done = true
	}
}
