package render

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var generated = flag.Int("strings", 20_000, "how many strings with control sequences to generate")

// A controls generates strings by the grammar of ECMA-48, and the expected output of the filter.
type controls struct {
	*rand.Rand
	in, out strings.Builder // out is the output for a Terminal
	line    strings.Builder // the output of Escape
	ends    *strings.Replacer
	kinds   map[string]int // how often each production was used
}

// both adds the same text to the input and to the expected output.
func (g *controls) both(s string) {
	g.in.WriteString(s)
	g.out.WriteString(s)
	g.line.WriteString(g.ends.Replace(s))
}

// control adds a control character, and its visible form to the expected output.
func (g *controls) control(in, out string) {
	g.in.WriteString(in)
	g.out.WriteString(out)
	g.line.WriteString(out)
}

// octet returns a random byte from low to high.
func (g *controls) octet(low, high byte) byte { return low + byte(g.IntN(int(high-low)+1)) }

// text adds words that must survive. They never begin with a line end, so that a CR before them is not one either.
func (g *controls) text() {
	g.kinds["text"]++
	words := [...]string{"tide", "søen", "λίμνη", "漢字", "🦀", "a\tb", "high\nwater", `C:\dir\x1b`, "[31m", "0;x", "Û", "\u00a0", "می\u200cخ",
		"~", " "}
	for range 1 + g.IntN(3) {
		g.both(words[g.IntN(len(words))])
	}
}

// c0 adds a control character of the 7-bit set (§5.2), DEL included, and not ESC.
func (g *controls) c0() {
	g.kinds["C0"]++
	c := g.octet(0, 0x1f)
	switch c {
	case '\t', '\x1b':
		c = 0x7f
	case '\n':
		g.in.WriteString("\r\n")
		g.out.WriteString("\n")
		g.line.WriteString(`\x0d\x0a`)
		return
	}
	g.control(string(rune(c)), fmt.Sprintf(`\x%02x`, c))
}

// c1 adds a control of the C1 set (§5.3) in one of its three forms: ESC Fe, one byte, UTF-8.
func (g *controls) c1(c byte) {
	switch g.IntN(3) {
	case 0:
		g.kinds["7-bit C1"]++
		g.control("\x1b", `\x1b`)
		g.both(string(rune(c - 0x40)))
	case 1:
		g.kinds["8-bit C1"]++
		g.control(string([]byte{c}), fmt.Sprintf(`\x%02x`, c))
	default:
		g.kinds["UTF-8 C1"]++
		g.control(string(rune(c)), fmt.Sprintf(`\u%04x`, c))
	}
}

// escape adds ESC with intermediate bytes and a final one (ECMA-35): character sets, resets and other sequences that are not C1.
func (g *controls) escape() {
	g.kinds["ESC"]++
	g.control("\x1b", `\x1b`)
	n := g.IntN(3)
	g.run(n, 0x20, 0x2f)
	switch {
	case n == 0:
		g.run(1, 0x60, 0x7e) // Fs
	case g.IntN(8) > 0:
		g.run(1, 0x30, 0x7e)
	}
}

func (g *controls) run(n int, low, high byte) {
	for range n {
		g.both(string(rune(g.octet(low, high))))
	}
}

// sequence adds a control sequence (§5.4): CSI, parameter bytes, intermediate bytes, and a final byte, or none.
func (g *controls) sequence() {
	g.kinds["CSI"]++
	g.c1(0x9b)
	g.run(g.IntN(6), 0x30, 0x3f)
	g.run(g.IntN(3), 0x20, 0x2f)
	if g.IntN(8) > 0 {
		g.run(1, 0x40, 0x7e)
	} else {
		g.kinds["unterminated"]++
	}
}

// str adds a control string (§5.6): DCS, SOS, OSC, PM or APC, contents, which may have controls in them, and ST, BEL, CAN, or no end.
func (g *controls) str(depth int) {
	openers := [...]struct {
		name string
		c    byte
	}{{"DCS", 0x90}, {"SOS", 0x98}, {"OSC", 0x9d}, {"PM", 0x9e}, {"APC", 0x9f}}
	o := openers[g.IntN(len(openers))]
	g.kinds[o.name]++
	g.c1(o.c)
	for range g.IntN(3) {
		if g.IntN(3) == 0 {
			g.kinds["nested"]++
			g.piece(depth + 1)
		} else {
			g.text()
		}
	}
	switch g.IntN(5) {
	case 0, 1:
		g.kinds["ST"]++
		g.c1(0x9c)
	case 2:
		g.kinds["BEL"]++
		g.control("\a", `\x07`)
	case 3:
		g.control("\x18", `\x18`)
	default:
		g.kinds["unterminated"]++
	}
}

func (g *controls) piece(depth int) {
	switch n := g.IntN(8); {
	case n < 2 || depth > 3:
		g.text()
	case n == 2:
		g.c0()
	case n == 3:
		g.c1(g.octet(0x80, 0x9f))
	case n == 4:
		g.escape()
	case n == 5:
		g.sequence()
	default:
		g.str(depth)
	}
}

// driven returns the first character of s that affects a terminal, apart from line ends and tabs. It parses s like a terminal: every
// control function of ECMA-48 begins with a character of the sets C0 or C1 (§5), and one that orders text is of Bidi_Control.
func driven(s string) (rune, bool) {
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) {
			return r, true
		}
	}
	return 0, !utf8.ValidString(s)
}

// TestPromise9ControlsOfECMA48 filters strings made by the grammar of ECMA-48. No control function passes, and no text is lost. A full run
// has -strings 1000000.
func TestPromise9ControlsOfECMA48(t *testing.T) {
	g := &controls{Rand: rand.New(rand.NewPCG(48, 1991)), ends: strings.NewReplacer("\n", `\x0a`, "\t", `\x09`), kinds: map[string]int{}}
	for n := range *generated {
		g.in.Reset()
		g.out.Reset()
		g.line.Reset()
		for range 1 + g.IntN(5) {
			g.piece(0)
		}
		in, want := g.in.String(), g.out.String()
		got := shown(t, in, 1+g.IntN(len(in)+1))
		if got != want {
			t.Fatalf("string %d: %q\ngot  %q\nwant %q", n, in, got, want)
		}
		if r, bad := driven(got); bad {
			t.Fatalf("string %d: %q reaches the terminal in %q", n, r, got)
		}
		line := Escape(in)
		if want := g.line.String(); line != want {
			t.Fatalf("string %d as one line: %q\ngot  %q\nwant %q", n, in, line, want)
		}
		if r, bad := driven(line); bad || strings.ContainsAny(line, "\n\t") {
			t.Fatalf("string %d as one line: %q reaches the terminal in %q", n, r, line)
		}
	}
	for _, kind := range []string{"text", "C0", "7-bit C1", "8-bit C1", "UTF-8 C1", "ESC", "CSI", "DCS", "SOS", "OSC", "PM", "APC", "ST",
		"BEL", "nested", "unterminated"} {
		if g.kinds[kind] == 0 {
			t.Errorf("no string has %s", kind)
		}
	}
	t.Logf("%d strings: %v", *generated, g.kinds)
}
