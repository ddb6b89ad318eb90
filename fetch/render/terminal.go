package render

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// A Terminal passes text on to a terminal. Line ends and tabs stay what they are, CR LF being one line end; other controls, C1
// octets, octets that are no UTF-8, and what turns the order of text around are shown as \x1b or \u202e and do nothing. It keeps at
// most one character back; Flush shows that.
//
// Nothing is left out: of a control sequence or control string (ECMA-48 §5.4, §5.6) only the control characters are replaced, and
// what follows them (parameters, the text of OSC and DCS) is shown as the text that it then is. The terminal must read UTF-8: one that
// reads single octets takes some of those of a character ("Û" is C3 9B) for C1 controls.
type Terminal struct {
	w    io.Writer
	out  []byte
	rest [utf8.UTFMax]byte // the beginning of a character
	n    int
	cr   bool
}

// NewTerminal returns a Terminal on w.
func NewTerminal(w io.Writer) *Terminal { return &Terminal{w: w} }

// chunk bounds what is collected before it is written.
const chunk = 16 << 10

func (t *Terminal) Write(p []byte) (int, error) {
	for i := 0; i < len(p); {
		if t.n > 0 {
			i += t.complete(p[i:])
		} else {
			i += t.add(p[i:], false)
		}
		if len(t.out) >= chunk {
			if err := t.send(); err != nil {
				return 0, err
			}
		}
	}
	if err := t.send(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush shows what was kept back.
func (t *Terminal) Flush() error {
	for t.n > 0 {
		t.takeRest(t.add(t.rest[:t.n], true))
	}
	t.endCR(0)
	return t.send()
}

func (t *Terminal) send() error {
	if len(t.out) == 0 {
		return nil
	}
	_, err := t.w.Write(t.out)
	t.out = t.out[:0]
	return err
}

// complete adds octets of p to the one that waits until they are a character, or none, and returns how many it took.
func (t *Terminal) complete(p []byte) int {
	taken := 0
	for taken < len(p) && !utf8.FullRune(t.rest[:t.n]) {
		t.rest[t.n] = p[taken]
		t.n++
		taken++
	}
	if utf8.FullRune(t.rest[:t.n]) {
		t.takeRest(t.add(t.rest[:t.n], true))
	}
	return taken
}

func (t *Terminal) takeRest(n int) {
	copy(t.rest[:], t.rest[n:t.n])
	t.n -= n
}

// add shows the beginning of p and returns how much of it. Without last, an unfinished character is kept.
func (t *Terminal) add(p []byte, last bool) int {
	n := plainRun(p)
	if n > 0 {
		t.endCR(p[0])
		t.out = append(t.out, p[:min(n, chunk)]...)
		return min(n, chunk)
	}
	if p[0] == '\r' {
		t.endCR(0)
		t.cr = true
		return 1
	}
	t.endCR(0)
	if !last && !utf8.FullRune(p) {
		t.n = copy(t.rest[:], p)
		return len(p)
	}
	r, size := utf8.DecodeRune(p)
	t.out = appendShown(t.out, r, p[:size])
	return size
}

// endCR settles a CR: next is the octet that follows it.
func (t *Terminal) endCR(next byte) {
	if t.cr && next != '\n' {
		t.out = append(t.out, `\x0d`...)
	}
	t.cr = false
}

// plainRun counts the octets of p that need no look.
func plainRun(p []byte) int {
	for i, c := range p {
		if (c < ' ' || c >= 0x7f) && c != '\n' && c != '\t' {
			return i
		}
	}
	return len(p)
}

// appendShown appends the character r, written as octets, in a form that does nothing.
func appendShown(b []byte, r rune, octets []byte) []byte {
	const hex = "0123456789abcdef"
	switch {
	case r == utf8.RuneError && len(octets) == 1, r < ' ' || r == 0x7f:
		return append(b, '\\', 'x', hex[octets[0]>>4], hex[octets[0]&15])
	case r < 0xa0 && r >= 0x80, isReordering(r):
		return fmt.Appendf(b, `\u%04x`, r)
	case r >= 0xE0000 && r <= 0xE007F: // tags: text that nobody sees
		return fmt.Appendf(b, `\U%08x`, r)
	}
	return append(b, octets...)
}

// isReordering: line and paragraph separators, bidirectional embeddings, overrides and isolates.
func isReordering(r rune) bool {
	return r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Escape returns foreign text as one line for a terminal: line ends and tabs are shown too.
func Escape(s string) string {
	i := 0
	for i < len(s) && s[i] >= ' ' && s[i] < 0x7f {
		i++
	}
	if i == len(s) {
		return s
	}
	b := append(make([]byte, 0, len(s)+16), s[:i]...)
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		b = appendShown(b, r, []byte(s[i:i+size]))
		i += size
	}
	return string(b)
}
