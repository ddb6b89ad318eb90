package ansiart

import (
	"bufio"
	"bytes"
	"strings"
)

// HasSequences reports whether p contains a control sequence that Rows carries out.
func HasSequences(p []byte) bool {
	for {
		i := bytes.Index(p, []byte("\x1b["))
		if i < 0 {
			return false
		}
		p = p[i+2:]
		rest := bytes.TrimLeft(p[:min(len(p), maxSequence)], "0123456789;")
		if len(rest) > 0 && bytes.IndexByte([]byte("ABCDHJKfmsu"), rest[0]) >= 0 {
			return true
		}
	}
}

// escape handles what follows an ESC. Only control sequences (ECMA-48 section 5.4) have a meaning in ANSI.SYS. An ESC before anything else is
// shown.
func (c *canvas) escape(r *bufio.Reader) error {
	next, err := r.Peek(1)
	if err != nil || next[0] != '[' {
		c.put(glyph(0x1b))
		return nil
	}
	r.Discard(1)
	var s strings.Builder
	for s.Len() < maxSequence {
		b, err := r.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case b >= 0x40 && b <= 0x7e:
			c.control(b, s.String())
			return nil
		case b < 0x20 || b > 0x7e: // not a sequence
			return r.UnreadByte()
		}
		s.WriteByte(b)
	}
	return nil
}

// control carries out a control sequence: its final byte and what stands before it.
func (c *canvas) control(final byte, text string) {
	if strings.Trim(text, "0123456789;") != "" {
		return // a private sequence, such as one for the mode of the screen
	}
	p := parameters(text)
	n := max(1, p.at(0))
	switch final {
	case 'A':
		c.y = max(0, c.y-n)
	case 'B':
		c.y = min(max(c.y, maxRows-1), c.y+n)
	case 'C':
		c.x = min(c.columns-1, c.x+n)
	case 'D':
		c.x = max(0, min(c.x, c.columns)-n)
	case 'H', 'f':
		c.y, c.x = min(n, maxRows)-1, min(max(1, p.at(1)), c.columns)-1
	case 's':
		c.savedX, c.save = c.x, c.y
	case 'u':
		c.x, c.y = c.savedX, c.save
	case 'J':
		c.eraseScreen(p.at(0))
	case 'K':
		c.eraseLine(p.at(0))
	case 'm':
		c.pen.set(p)
	}
}

func (c *canvas) eraseScreen(how int) {
	switch how {
	case 0:
		c.eraseLine(0)
		if c.y+1 < len(c.rows) {
			c.rows = c.rows[:c.y+1]
		}
	case 1:
		for i := range min(c.y, len(c.rows)) {
			c.rows[i] = nil
		}
		c.eraseLine(1)
	case 2:
		c.ended = true
	}
}

func (c *canvas) eraseLine(how int) {
	if c.y >= len(c.rows) {
		return
	}
	row := c.rows[c.y]
	switch how {
	case 0:
		row = row[:min(c.x, len(row))]
	case 1:
		for i := range min(c.x+1, len(row)) {
			row[i] = blank()
		}
	case 2:
		row = nil
	}
	c.rows[c.y] = row
}

// maxParameters bounds the parameters of a sequence.
const maxParameters = 16

// numbers are the parameters of a sequence. A missing one is -1.
type numbers []int

func (p numbers) at(i int) int {
	if i < len(p) {
		return max(0, p[i])
	}
	return 0
}

func parameters(text string) numbers {
	if text == "" {
		return nil
	}
	var p numbers
	for f := range strings.SplitSeq(text, ";") {
		if len(p) == maxParameters {
			break
		}
		n := 0
		for i := range len(f) {
			n = min(n*10+int(f[i]-'0'), 9999)
		}
		p = append(p, n)
	}
	return p
}
