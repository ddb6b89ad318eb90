package fragment

import (
	"bufio"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
)

// A span is a part of plain text (RFC 5147).
type span struct {
	in       *bufio.Reader
	lines    bool // positions count lines, otherwise characters
	from, to int64
	decode   func([]byte) []byte // a piece of the text, if it is not UTF-8

	length int64     // required length of the whole text in characters; -1 is any
	sum    string    // required MD5 of the whole text; "" is any
	hash   hash.Hash // nil if no sum is required

	line, char int64 // position of the next character
	part       []byte
}

// newSpan parses a fragment of RFC 5147 section 3. A position without a range names the place before a line or character; the line or
// character after it is returned, since a place alone is empty. piece decodes a piece of the text; it is nil for UTF-8. whole, if it is not nil, decodes all
// of an encoding in which bytes of ASCII may be parts of other characters.
func newSpan(in io.Reader, fragment string, piece func([]byte) []byte, whole func(io.Reader) io.Reader) (io.Reader, error) {
	scheme, checks, _ := strings.Cut(fragment, ";")
	s := &span{length: -1, decode: piece}
	positions, ok := strings.CutPrefix(scheme, "char=")
	if !ok {
		positions, ok = strings.CutPrefix(scheme, "line=")
		s.lines = true
	}
	if !ok || !s.positions(positions) {
		return nil, fetch.Errorf(fetch.ErrNotFound, "#%s does not name a part of a text; use line=A,B or char=A,B (RFC 5147)", fragment)
	}
	for check := range strings.SplitSeq(checks, ";") {
		if check != "" && !s.check(check) {
			return nil, fetch.Errorf(fetch.ErrNotFound, "#%s: %q is not a check of RFC 5147", fragment, check)
		}
	}
	if s.hash != nil {
		in = io.TeeReader(in, s.hash)
	}
	if whole != nil {
		in, s.decode = whole(in), nil
	}
	s.in = bufio.NewReaderSize(in, 64<<10)
	return pieces.NewReader(s.next), nil
}

// positions parses position = number, range = ( position "," [ position ] ) / ( "," position ).
func (s *span) positions(text string) bool {
	from, to, ranged := strings.Cut(text, ",")
	var ok1, ok2 bool
	s.from, ok1 = position(from, 0)
	if !ranged {
		s.to = s.from + 1
		return ok1 && from != ""
	}
	s.to, ok2 = position(to, 1<<62)
	return ok1 && ok2 && from+to != "" && s.from <= s.to
}

func position(text string, missing int64) (int64, bool) {
	if text == "" {
		return missing, true
	}
	n, err := strconv.ParseUint(text, 10, 61)
	return int64(n), err == nil
}

// check parses length= and md5=. Each may name the charset of the text for which it was computed, which matters only if the text has been
// recoded since.
func (s *span) check(text string) bool {
	text, _, _ = strings.Cut(text, ",")
	if n, ok := strings.CutPrefix(text, "length="); ok {
		s.length, ok = position(n, -1)
		return ok && s.length >= 0
	}
	sum, ok := strings.CutPrefix(text, "md5=")
	if b, err := hex.DecodeString(sum); !ok || err != nil || len(b) != md5.Size {
		return false
	}
	s.sum, s.hash = strings.ToLower(sum), md5.New()
	return true
}

// next reads more text and returns the bytes that belong to the part.
func (s *span) next() ([]byte, error) {
	_, err := s.in.Peek(utf8.UTFMax)
	if err != nil && s.in.Buffered() == 0 {
		return nil, s.end(err)
	}
	b, _ := s.in.Peek(s.in.Buffered())
	used, begin := 0, -1
	for used < len(b) && (err != nil || len(b)-used >= utf8.UTFMax) && (begin < 0 || s.inside()) {
		if begin < 0 && s.inside() {
			begin = used
		}
		used += s.advance(b[used:])
	}
	s.part = s.part[:0]
	if begin >= 0 {
		s.part = append(s.part, b[begin:used]...)
	}
	s.in.Discard(used)
	if s.at() >= s.to && s.length < 0 && s.hash == nil {
		return s.part, io.EOF // the part is complete, and there is nothing to check
	}
	return s.part, nil
}

// at returns the position of the next character.
func (s *span) at() int64 {
	if s.lines {
		return s.line
	}
	return s.char
}

// inside reports whether the next character belongs to the part.
func (s *span) inside() bool { return s.from <= s.at() && s.at() < s.to }

// advance skips one character and returns its length in bytes. CR, LF and CR LF end a line (RFC 5147 section 2.1.1), and CR LF counts as
// two characters.
func (s *span) advance(b []byte) int {
	s.char++
	switch {
	case b[0] == '\n', b[0] == '\r' && (len(b) == 1 || b[1] != '\n'):
		s.line++
	case b[0] >= utf8.RuneSelf && s.decode == nil:
		_, n := utf8.DecodeRune(b)
		return n
	case b[0] >= utf8.RuneSelf && (!s.lines || s.length >= 0): // lines need no characters: no line end is part of one
		for n := range min(utf8.UTFMax, len(b)) {
			text := s.decode(b[:n+1])
			if r, size := utf8.DecodeRune(text); r != utf8.RuneError && size == len(text) {
				return n + 1
			}
		}
	}
	return 1
}

// end checks the whole text after it has been read.
func (s *span) end(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case s.length >= 0 && s.length != s.char:
		return fetch.Errorf(fetch.ErrChanged, "the text has %d characters, but had %d when the fragment was made", s.char, s.length)
	case s.hash != nil && hex.EncodeToString(s.hash.Sum(nil)) != s.sum:
		return fetch.Errorf(fetch.ErrChanged, "the text has changed since the fragment was made (md5)")
	}
	return io.EOF
}
