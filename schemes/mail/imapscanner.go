package mail

import (
	"bytes"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// scanner is where the guard is in a line.
type scanner struct {
	head   []byte // how the line begins
	octets int    // how many have come of it
	text   bool   // a status response: words for people, without strings and literals
	code   bracket
	quoted bool
	escape bool
	depth  int // of parentheses outside strings
	raw    int // of all of them: what is a string for us need not be one for the library
	size   []byte
	brace  bool  // within "{...}"
	coming int64 // octets of the literal that was announced
	after  bool  // "}" was the last
}

// maxRaw bounds parentheses wherever they stand. A recursion of that depth is harmless.
const maxRaw = 1000

// headOctets are enough to tell a tag, "* BYE" and a response code.
const headOctets = 300

// tagged reports whether the line is a tagged reply.
func (s *scanner) tagged() bool { return len(s.head) > 0 && s.head[0] == 'T' }

// next takes one octet. It returns the size of a literal that begins behind it, -1 at the end of a line, and else 0.
func (s *scanner) next(c byte, nesting int) (int64, error) {
	s.octets++
	if len(s.head) < headOctets && c != '\r' && c != '\n' {
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
	if c <= ' ' && isUnasked(s.head) {
		return 0, fetch.Errorf(fetch.ErrProtocol, "the server answers %s, which nobody asked for", clip(string(s.head)))
	}
	if s.raw > maxRaw || s.depth > nesting && !s.text {
		return 0, fetch.Errorf(fetch.ErrLimit, "a reply is nested more than %d deep", nesting)
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

// A bracket is where the scanner is in a status response as to its code, "[...]".
type bracket byte

const (
	noCode   bracket = iota
	mayBegin         // with this octet
	openCode
)

// status finds out, octet by octet, whether the line is a status response, and whether a code begins it.
func (s *scanner) status(c byte) {
	switch {
	case s.code == mayBegin && c == '[':
		s.code = openCode
	case s.code == mayBegin:
		s.code = noCode
	case !s.text && c == ' ' && isStatus(s.head):
		s.text = true
		if s.head[0] != '+' {
			s.code = mayBegin
		}
	}
}

// newline ends a line, or begins a literal.
//
// The library looks for the end of a string and of a code behind the end of the line too, and so in a reply that will never come: RFC
// 9051 section 9 has no CR or LF in either.
func (s *scanner) newline() (int64, error) {
	switch {
	case s.quoted && !s.text:
		return 0, fetch.Errorf(fetch.ErrProtocol, "a reply ends within a string")
	case s.code == openCode:
		return 0, fetch.Errorf(fetch.ErrProtocol, "a reply ends within its code")
	}
	if s.after && !s.text {
		size := s.coming
		s.after, s.coming, s.quoted, s.escape = false, 0, false, false
		return size, nil // "{0}": the line just goes on
	}
	return -1, nil
}

// strings follows quoted strings and the announcements of literals.
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
		s.brace, s.size = true, s.size[:0]
	case s.brace && c == '}':
		n, err := strconv.ParseInt(strings.TrimSuffix(string(s.size), "+"), 10, 64)
		s.brace, s.after, s.coming = false, err == nil && n >= 0, n
		return
	case s.brace && len(s.size) < 20:
		s.size = append(s.size, c)
	case s.brace:
		s.brace = false
	}
	if c != '\r' && c != ' ' { // QUIRK: the library passes over a blank there
		s.after = false
	}
}

// isStatus reports whether a line that begins so is a status response or a continuation: RFC 9051 section 7.1.
func isStatus(head []byte) bool {
	f := strings.Fields(strings.ToUpper(string(head)))
	if len(f) < 2 {
		return len(f) == 1 && f[0] == "+"
	}
	switch f[1] {
	case "OK", "NO", "BAD", "BYE", "PREAUTH":
		return len(f) == 2
	}
	return false
}

// inFlags reports whether the scanner is in the list of a mailbox's flags: FLAGS or PERMANENTFLAGS of RFC 9051 section 7.
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

// isUnasked reports whether a line that begins so answers a command that is never said here, but that the library would take in.
//
// QUIRK: the library writes what ENABLED says into a map that Client.search reads without its lock; the runtime ends a process that is
// caught in that (by reading beta.8; the moment is short, and was not met in ten tries). None of the others is needed.
func isUnasked(head []byte) bool {
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

// tagOf finds the tag at the beginning of a command or reply of the library: "T" and a number.
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
