package mail

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// guard stands between the library and the connection. It reads along, and keeps the bounds that the library has not: nesting, octets
// outside the literal that was asked for, and deadlines. It lets the library's reader wait for the server only while a command is
// unanswered, so that an idle session reads nothing.
type guard struct {
	net.Conn // *fetch.Conn
	turn     func()
	stream   func()
	most     int // octets outside large literals that may come before grant
	nesting  int

	mu      sync.Mutex
	awake   sync.Cond
	greet   []byte // a greeting that is told to the library: the true one was heard before it
	pending int    // commands without their tagged reply
	shut    bool
	err     error  // what ended the connection
	bye     string // the server's last words
	swap    [2]string

	left   int   // of most
	large  int   // literals that may be larger than left
	inside int64 // octets of the literal that are still to come
	big    bool  // it is one of the large ones
	line   scanner
}

// scanner is where the guard is in a line.
type scanner struct {
	head   []byte // how the line begins
	text   bool   // a status response: words for people, without strings and literals
	quoted bool
	escape bool
	depth  int // of parentheses outside strings
	raw    int // of all of them: what is a string for us need not be one for the library
	size   []byte
	brace  bool // within "{...}"
	next   int64
	after  bool // "}" was the last
}

// maxRaw bounds parentheses wherever they stand. A recursion of that depth is harmless.
const maxRaw = 1000

// headOctets are enough to tell a tag, "* BYE" and a response code.
const headOctets = 300

func newGuard(c *fetch.Conn, l fetch.Limits, greeting string) *guard {
	g := &guard{Conn: c, turn: c.Turn, stream: c.Stream, most: l.Reply, nesting: l.Nesting, greet: []byte(greeting)}
	g.awake.L = &g.mu
	g.left = g.most
	return g
}

// Read waits until there is something to wait for.
func (g *guard) Read(p []byte) (int, error) {
	g.mu.Lock()
	if n := copy(p, g.greet); n > 0 {
		g.greet = g.greet[n:]
		g.mu.Unlock()
		return n, nil
	}
	for g.pending == 0 && !g.shut && g.err == nil {
		g.awake.Wait()
	}
	shut, err := g.shut, g.err
	g.mu.Unlock()
	switch {
	case err != nil:
		return 0, err
	case shut:
		return 0, net.ErrClosed
	}
	n, err := g.Conn.Read(p)
	g.mu.Lock()
	defer g.mu.Unlock()
	if seen := g.see(p[:n]); seen != nil {
		n, err = 0, seen
	}
	if err != nil && g.err == nil {
		g.err = err
	}
	return n, err
}

// Write notes which commands are sent.
func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	n := len(p)
	if g.swap[0] != "" {
		p = bytes.Replace(p, []byte(g.swap[0]), []byte(g.swap[1]), 1)
	}
	if _, ok := tagOf(p); ok {
		if g.pending == 0 {
			g.turn()
		}
		g.pending++
		g.awake.Broadcast()
	}
	g.mu.Unlock()
	if _, err := g.Conn.Write(p); err != nil {
		g.fail(err)
		return 0, err
	}
	return n, nil
}

// Close also wakes the library's reader.
func (g *guard) Close() error {
	g.mu.Lock()
	g.shut = true
	g.awake.Broadcast()
	g.mu.Unlock()
	return g.Conn.Close()
}

// SetReadDeadline and SetWriteDeadline do nothing: the library's fixed ones would cut what Timeouts allow.
func (g *guard) SetReadDeadline(time.Time) error  { return nil }
func (g *guard) SetWriteDeadline(time.Time) error { return nil }

func (g *guard) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
}

// state is what has become of the connection.
func (g *guard) state() (bye string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bye, g.err
}

// grant allows as many octets as at first, and so many large literals: what came until now was of use.
func (g *guard) grant(large int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.large = g.most, large
	if g.inside == 0 || !g.big {
		g.turn()
	}
}

// replace makes the next commands say something that the library has no words for.
func (g *guard) replace(words, by string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.swap = [2]string{words, by}
}

// see reads along.
func (g *guard) see(p []byte) error {
	for len(p) > 0 {
		if g.inside > 0 {
			n := min(int64(len(p)), g.inside)
			p = p[n:]
			if g.inside -= n; g.inside == 0 && g.big {
				g.big = false
				g.turn()
			}
			continue
		}
		c := p[0]
		p = p[1:]
		if g.left--; g.left < 0 {
			return fetch.Errorf(fetch.ErrLimit, "the server sends more than %d octets that were not asked for", g.most)
		}
		size, err := g.line.next1(c, g.nesting)
		if err != nil {
			return err
		}
		if size > 0 {
			if err := g.literal(size); err != nil {
				return err
			}
		} else if c == '\n' && size < 0 {
			g.ended()
		}
	}
	return nil
}

// literal begins one. Small ones count as the rest of the line does.
func (g *guard) literal(size int64) error {
	g.inside = size
	if size <= int64(g.left) && (g.large == 0 || size < 4<<10) {
		g.left -= int(size)
		return nil
	}
	if g.large == 0 {
		return fetch.Errorf(fetch.ErrLimit, "the server announces %d octets that were not asked for", size)
	}
	g.large--
	g.big = true
	g.stream()
	return nil
}

// ended looks at a whole line.
func (g *guard) ended() {
	head := string(g.line.head)
	if _, ok := tagOf(g.line.head); ok && g.pending > 0 {
		g.pending--
	}
	if rest, ok := cutPrefixFold(head, "* BYE"); ok {
		g.bye = strings.TrimSpace(rest)
	}
	g.line = scanner{head: g.line.head[:0]}
}

// next1 takes one octet. It returns the size of a literal that begins behind it, -1 at the end of a line, and else 0.
func (s *scanner) next1(c byte, nesting int) (int64, error) {
	if len(s.head) < headOctets && c != '\r' && c != '\n' {
		s.head = append(s.head, c)
		s.text = s.text || c == ' ' && isStatus(s.head)
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
	if s.raw > maxRaw || s.depth > nesting && !s.text {
		return 0, fetch.Errorf(fetch.ErrLimit, "a reply is nested more than %d deep", nesting)
	}
	if c == '\n' {
		return s.newline(), nil
	}
	if !s.text {
		s.strings(c)
	}
	return 0, nil
}

// newline ends a line, or begins a literal.
func (s *scanner) newline() int64 {
	if s.after && !s.text {
		size := s.next
		s.after, s.next, s.quoted, s.escape = false, 0, false, false
		return size // "{0}": the line just goes on
	}
	return -1
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
		s.brace, s.after, s.next = false, err == nil && n >= 0, n
		return
	case s.brace && len(s.size) < 20:
		s.size = append(s.size, c)
	case s.brace:
		s.brace = false
	}
	if c != '\r' {
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
