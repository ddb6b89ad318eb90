package wire

import (
	"bufio"
	"io"

	"example.org/deref/fetch"
)

// A Scanner reads the lines of a message as tokens. Quoting may begin and end anywhere inside a token, and a quoted line end is
// data, so it parses the message byte by byte.
type Scanner struct {
	in     *bufio.Reader
	quoted bool
	Most   int // bytes of one line
}

// NewScanner returns a Scanner of lines with at most that many bytes.
func NewScanner(r io.Reader, most int) *Scanner {
	return &Scanner{in: bufio.NewReader(r), Most: most}
}

// the kind of the next token
type mark int

const (
	octet  mark = iota
	gap         // between tokens
	opened      // a quote begins: there is a token, even if it is empty
	endOfLine
	endOfMessage
)

// next returns the next byte of a token, or the delimiter in its place.
func (s *Scanner) next() (byte, mark, error) {
	for {
		c, err := s.in.ReadByte()
		switch {
		case err == io.EOF && s.quoted:
			return 0, endOfMessage, errQuote
		case err == io.EOF:
			return 0, endOfMessage, nil
		case err != nil:
			return 0, endOfMessage, err
		case c == '\'' && !s.quoted:
			s.quoted = true
			return 0, opened, nil
		case c == '\'' && s.follows('\''):
			s.in.Discard(1)
			return '\'', octet, nil
		case c == '\'':
			s.quoted = false
			continue
		case s.quoted:
			return c, octet, nil
		case c == ' ' || c == '\t' || c == '\r' && s.follows('\n'):
			return 0, gap, nil
		case c == '\n':
			return 0, endOfLine, nil
		}
		return c, octet, nil
	}
}

// errQuote is the error of a message that ends inside quotes.
var errQuote = &fetch.Error{Kind: fetch.ErrProtocol, Text: "the reply ends within a quoted word"}

func (s *Scanner) follows(c byte) bool {
	b, _ := s.in.Peek(1)
	return len(b) == 1 && b[0] == c
}

// Line returns the next line that is not empty, and io.EOF at the end of the message. If the message ends inside quotes, Line returns errQuote
// and the tokens so far: free text of old servers contains apostrophes.
func (s *Scanner) Line() ([]string, error) { return s.LineUntil(func([]string) bool { return false }) }

// LineUntil is like Line, but stops after the token with which the line satisfies stop. Value reads the next token.
func (s *Scanner) LineUntil(stop func([]string) bool) (list []string, err error) {
	var token []byte
	in, left := false, s.Most
	for ; ; left-- {
		if left == 0 {
			return nil, fetch.Errorf(fetch.ErrLimit, "a line of the reply is longer than %d bytes", s.Most)
		}
		c, m, err := s.next()
		if m == octet || m == opened {
			if in = true; m == octet {
				token = append(token, c)
			}
			continue
		}
		if in {
			list, token, in = append(list, string(token)), nil, false
		}
		switch {
		case err != nil:
			return list, err
		case m == gap && stop(list):
			return list, nil
		case m == gap, m == endOfLine && len(list) == 0:
		case m == endOfMessage && len(list) == 0:
			return nil, io.EOF
		default:
			return list, nil
		}
	}
}

// Value returns a reader of the next token, of any length. It ends with io.EOF when the message has ended after the token.
func (s *Scanner) Value() io.Reader { return &value{s: s} }

type value struct {
	s    *Scanner
	err  error
	seen bool // the token has begun
}

func (v *value) Read(p []byte) (n int, err error) {
	for n < len(p) && v.err == nil {
		c, m, err := v.s.next()
		switch {
		case err != nil:
			v.err = err
		case m == octet:
			p[n] = c
			n++
			v.seen = true
		case m == opened:
			v.seen = true
		case m == gap && !v.seen:
		default:
			v.err = v.s.drain(m)
		}
		if n > 0 && v.s.in.Buffered() == 0 {
			break // return what was read before waiting for more
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, v.err
}

// drain reads up to the end of the message, which confirms that the value is complete.
func (s *Scanner) drain(m mark) error {
	for left := s.Most; m != endOfMessage; left-- {
		if left == 0 {
			return fetch.Errorf(fetch.ErrLimit, "more than %d bytes follow the contents", s.Most)
		}
		var err error
		if _, m, err = s.next(); err != nil {
			return err
		}
	}
	return io.EOF
}
