package render

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// A Terminal makes text safe for a terminal. Line ends (LF and CR LF) and tabs stay. Other control characters, C1 bytes, invalid UTF-8 and
// characters that hide or reorder text are shown as text, such as \x1b or \u202e. At most one character is held back until Flush.
//
// Nothing is omitted: in a control sequence or control string (ECMA-48 §5.4, §5.6) only the control characters are replaced, and the rest
// (parameters, the text of OSC and DCS) is shown as text. The terminal must use UTF-8: one for single bytes would interpret some bytes of
// characters ("Û" is C3 9B) as C1 controls.
type Terminal struct {
	w    io.Writer
	out  []byte
	rest [utf8.UTFMax]byte // an incomplete character
	n    int
	cr   bool
	last rune // before what is written next
}

// NewTerminal returns a Terminal that writes to w.
func NewTerminal(w io.Writer) *Terminal { return &Terminal{w: w} }

// chunk bounds the output that is collected before it is written.
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

// Flush writes the character held back.
func (t *Terminal) Flush() error {
	for t.n > 0 {
		t.dropRest(t.add(t.rest[:t.n], true))
	}
	t.endCR(0)
	return t.send()
}

// bold writes the control sequence that begins or ends bold text (SGR, ECMA-48 section 8.3.117).
func (t *Terminal) bold(on bool) {
	if on {
		t.out = append(t.out, "\x1b[1m"...)
	} else {
		t.out = append(t.out, "\x1b[m"...)
	}
}

func (t *Terminal) send() error {
	if len(t.out) == 0 {
		return nil
	}
	_, err := t.w.Write(t.out)
	t.out = t.out[:0]
	return err
}

// complete adds bytes of p to the incomplete character. It returns how many it has used.
func (t *Terminal) complete(p []byte) int {
	taken := 0
	for taken < len(p) && !utf8.FullRune(t.rest[:t.n]) {
		t.rest[t.n] = p[taken]
		t.n++
		taken++
	}
	if utf8.FullRune(t.rest[:t.n]) {
		t.dropRest(t.add(t.rest[:t.n], true))
	}
	return taken
}

func (t *Terminal) dropRest(n int) {
	copy(t.rest[:], t.rest[n:t.n])
	t.n -= n
}

// add writes the beginning of p and returns how many bytes it has used. Unless last is set, it holds an incomplete character back.
func (t *Terminal) add(p []byte, last bool) int {
	n := plainRun(p)
	if n > 0 {
		t.endCR(p[0])
		n = min(n, chunk)
		t.out = append(t.out, p[:n]...)
		t.last = rune(p[n-1])
		return n
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
	t.out, t.last = appendShown(t.out, t.last, r, p[:size])
	return size
}

// endCR writes a CR that is held back. next is the byte after it.
func (t *Terminal) endCR(next byte) {
	if t.cr && next != '\n' {
		t.out = append(t.out, `\x0d`...)
	}
	t.cr = false
}

// plainRun returns the number of bytes at the start of p that need no check.
func plainRun(p []byte) int {
	for i, c := range p {
		if (c < ' ' || c >= 0x7f) && c != '\n' && c != '\t' {
			return i
		}
	}
	return len(p)
}

// appendShown appends the character r, encoded as octets, as a terminal may receive it after the character last: in a visible form without effect
// if isHidden, a control character, or not UTF-8. Nothing else decides this. It returns the character that is last then.
func appendShown(b []byte, last, r rune, octets []byte) ([]byte, rune) {
	const hex = "0123456789abcdef"
	switch {
	case r == utf8.RuneError && len(octets) == 1, r < ' ' || r == 0x7f:
		return append(b, '\\', 'x', hex[octets[0]>>4], hex[octets[0]&15]), 'x'
	case r >= 0x80 && r < 0xa0, isHidden(r) && !isSpelling(last, r):
		if r > 0xffff {
			return fmt.Appendf(b, `\U%08x`, r), 'x'
		}
		return fmt.Appendf(b, `\u%04x`, r), 'x'
	}
	return append(b, octets...), r
}

// isHidden reports whether r has no visible form of its own: it hides or reorders others, takes no cell, or ends a line. Those are the
// Default_Ignorable_Code_Point of Unicode (fillers, selectors of variants, tags, zero-width and bidirectional characters), the other characters of
// format, and separators. Marks that combine with a letter are visible, and so are the signs that enclose Arabic numbers.
func isHidden(r rune) bool {
	return r >= 0xAD && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Zl, unicode.Zp) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// isSpelling reports whether the hidden r is one that the spelling of Persian, Hindi, Mongolian and emoji needs, at a place where it may be: a joiner
// or a selector of variants after a character of such a script. More of them in a row could hide a text, but emoji have a joiner after a selector
// (UTS #51).
func isSpelling(last, r rune) bool {
	selects, joins := r <= 0xFE0F && unicode.Is(unicode.Variation_Selector, r), r == 0x200C || r == 0x200D
	return last >= 0x590 && (selects || joins) && (!isHidden(last) || joins && last == 0xFE0F)
}

// Escape returns foreign text as one safe line for a terminal. It also makes line ends and tabs visible.
func Escape(s string) string {
	i := 0
	for i < len(s) && s[i] >= ' ' && s[i] < 0x7f {
		i++
	}
	if i == len(s) {
		return s
	}
	b, last := append(make([]byte, 0, len(s)+16), s[:i]...), ' '
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		b, last = appendShown(b, last, r, []byte(s[i:i+size]))
		i += size
	}
	return string(b)
}
