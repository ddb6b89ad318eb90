package mail

import (
	"bytes"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// A scanner follows the syntax of a response line.
type scanner struct {
	head   []byte // the beginning of the line
	size   int    // bytes of the line so far
	text   bool   // a status response: text for people, without strings and literals
	begun  bool   // the words that show a status response have passed
	search bool   // a search response
	code   codeState
	quoted bool
	escape bool
	depth  int    // of parentheses outside strings
	raw    int    // of all parentheses, because the library may see a string where we do not
	digits []byte // within "{...}"
	brace  bool   // within "{...}"
	coming int64  // bytes of the announced literal
	after  bool   // directly after "}"
}

// maxRaw bounds all parentheses. A recursion of that depth is harmless.
const maxRaw = 1000

// headSize is enough to recognize a tag, "* BYE" and a response code.
const headSize = 300

// tagged reports whether the line is a tagged response.
func (s *scanner) tagged() bool { return len(s.head) > 0 && s.head[0] == 'T' }

// next reads one byte. It returns the size of a literal that begins after it, -1 at the end of a line, and 0 otherwise.
func (s *scanner) next(c byte, nesting int) (int64, error) {
	s.size++
	if len(s.head) < headSize && c != '\r' && c != '\n' {
		s.head = append(s.head, c)
		s.status(c)
	}
	switch c {
	case '(':
		s.raw++
		if !s.quoted {
			s.depth++
		}
	case ')':
		s.raw = max(0, s.raw-1)
		if !s.quoted {
			s.depth = max(0, s.depth-1)
		}
	}
	if c <= ' ' && isUnrequested(s.head) {
		return 0, fetch.Errorf(fetch.ErrProtocol, "the server sends an unrequested %s", clip(string(s.head)))
	}
	if s.raw > maxRaw || s.depth > nesting && !s.text {
		return 0, fetch.Errorf(fetch.ErrLimit, "a response is nested more than %d deep", nesting)
	}
	if c == '\n' {
		return s.newline()
	}
	if !s.text {
		s.strings(c)
	} else if c == ']' {
		s.code = noCode
	}
	return 0, nil
}

// A codeState is the position of the scanner relative to the code "[...]" of a status response.
type codeState byte

const (
	noCode   codeState = iota
	mayBegin           // with this byte
	openCode
)

// status detects, byte by byte, whether the line is a status response, and whether it begins with a code.
func (s *scanner) status(c byte) {
	switch {
	case s.code == mayBegin && c == '[':
		s.code = openCode
	case s.code == mayBegin:
		s.code = noCode
	case !s.begun && c == ' ':
		if s.text, s.begun = isStatus(s.head); s.text && s.head[0] != '+' {
			s.code = mayBegin
		}
	}
	if n := len(s.head); n == len(search) && foldPrefix(s.head, search) || n == len(esearch) && foldPrefix(s.head, esearch) {
		s.search = true
	}
}

// newline ends a line, or begins a literal.
//
// It rejects a string or code that is still open: RFC 9051 section 9 allows no CR or LF in either, and the library would look for its end
// in the next response, which may never come.
func (s *scanner) newline() (int64, error) {
	switch {
	case s.quoted && !s.text:
		return 0, fetch.Errorf(fetch.ErrProtocol, "a response ends within a string")
	case s.code == openCode:
		return 0, fetch.Errorf(fetch.ErrProtocol, "a response ends within its code")
	}
	if s.after && !s.text {
		size := s.coming
		s.after, s.coming, s.quoted, s.escape = false, 0, false, false
		return size, nil // after "{0}" the line goes on
	}
	return -1, nil
}

// strings follows quoted strings and the sizes of literals.
func (s *scanner) strings(c byte) {
	switch {
	case s.escape:
		s.escape = false
	case s.quoted:
		s.escape = c == '\\'
		s.quoted = c != '"'
	case c == '"':
		s.quoted, s.brace = true, false
	case c == '{':
		s.brace, s.digits = true, s.digits[:0]
	case s.brace && c == '}':
		n, err := strconv.ParseInt(strings.TrimSuffix(string(s.digits), "+"), 10, 64)
		s.brace, s.after, s.coming = false, err == nil && n >= 0, n
		return
	case s.brace && len(s.digits) < 20:
		s.digits = append(s.digits, c)
	case s.brace:
		s.brace = false
	}
	if c != '\r' && c != ' ' { // QUIRK: the library skips a blank there
		s.after = false
	}
}

// isStatus reports whether a line with this beginning is a status response or a continuation (RFC 9051 section 7.1), and whether that is certain:
// later blanks do not change it.
func isStatus(head []byte) (status, certain bool) {
	var words [2][]byte
	n := 0
	for word := range bytes.FieldsSeq(head) {
		if n == len(words) {
			return false, true
		}
		words[n] = word
		n++
	}
	if n < len(words) {
		status = string(words[0]) == "+"
		return status, status
	}
	switch strings.ToUpper(string(words[1])) {
	case "OK", "NO", "BAD", "BYE", "PREAUTH":
		return true, true
	}
	return false, true
}

// inFlags reports whether the scanner is within the flags of a mailbox: FLAGS or PERMANENTFLAGS (RFC 9051 section 7).
func (s *scanner) inFlags() bool {
	if s.depth != 1 || s.quoted {
		return false
	}
	for _, begin := range []string{"* FLAGS (", "* OK [PERMANENTFLAGS ("} {
		if len(s.head) >= len(begin) && strings.EqualFold(string(s.head[:len(begin)]), begin) {
			return true
		}
	}
	return false
}

// isUnrequested reports whether a line with this beginning responds to a command that is never sent here, but that the library would accept.
//
// QUIRK: the library writes the contents of ENABLED into a map that Client.search reads without its lock, and the runtime ends a process
// that it catches in that (by reading beta.8; the window is short, and was not hit in ten tries). None of the others is needed.
func isUnrequested(head []byte) bool {
	word, ok := bytes.CutPrefix(head, []byte("* "))
	if !ok || len(word) > len("NAMESPACE ") {
		return false
	}
	switch strings.ToUpper(string(bytes.TrimSuffix(word, []byte(" ")))) {
	case "ACL", "ENABLED", "ID", "METADATA", "MYRIGHTS", "NAMESPACE", "QUOTA", "QUOTAROOT", "SORT", "THREAD":
		return true
	}
	return false
}

// tagOf returns the tag at the beginning of the library's command or its response: "T" and a number.
func tagOf(p []byte) (string, bool) {
	word, _, ok := bytes.Cut(p[:min(len(p), 24)], []byte(" "))
	if !ok || len(word) < 2 || word[0] != 'T' {
		return "", false
	}
	_, err := strconv.ParseUint(string(word[1:]), 10, 64)
	return string(word), err == nil
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
