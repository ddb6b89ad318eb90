package render

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// shown filters s in pieces of n bytes.
func shown(t testing.TB, s string, n int) string {
	t.Helper()
	var b strings.Builder
	term := NewTerminal(&b)
	for len(s) > 0 {
		k := min(n, len(s))
		if m, err := term.Write([]byte(s[:k])); m != k || err != nil {
			t.Fatal(m, err)
		}
		s = s[k:]
	}
	if err := term.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPromise9Terminal(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"plain\ttext\n":         "plain\ttext\n",
		"café €  𝄞":             "café €  𝄞",
		"\x1b]0;pwned\a\x1b[2J": `\x1b]0;pwned\x07\x1b[2J`,
		"a\r\nb":                "a\nb",
		"a\rb":                  `a\x0db`, // would write over the line
		"a\r\r\nb\r":            `a\x0d` + "\n" + `b\x0d`,
		"a\bb\x00\x7f\f\v":      `a\x08b\x00\x7f\x0c\x0b`,
		"\u009b2J":              `\u009b2J`, // CSI in C1
		"\x9b2J":                `\x9b2J`,   // and as a byte
		"caf\xe9\xff":           `caf\xe9\xff`,
		"\xe2\x82":              `\xe2\x82`, // an incomplete character at the end
		"\xe2\x82x":             `\xe2\x82x`,
		"\xe2\x82\x1b[0m":       `\xe2\x82\x1b[0m`,
		"\xed\xa0\x80":          `\xed\xa0\x80`, // a surrogate
		"\xc0\x9b":              `\xc0\x9b`,     // overlong
		"a\u202ecod.exe\u2066":  `a\u202ecod.exe\u2066`,
		"\U000e0041":            `\U000e0041`,
		"\u200f\u061cא\u200e":   `\u200f\u061cא\u200e`,
		"\ufeffa\u200bb\u2060":  `\ufeffa\u200bb\u2060`,
		"a\ufff9b\ufffac\ufffb": `a\ufff9b\ufffac\ufffb`, // interlinear annotation
		"a\u00adb\u3164":        `a\u00adb\u3164`,
		"a\u200db":              `a\u200db`,
		"می\u200cخ":             "می\u200cخ",       // Persian spelling
		"👩\u200d🔬❤\ufe0f":       "👩\u200d🔬❤\ufe0f", // emoji
		"❤\ufe0f\u200d🔥":        "❤\ufe0f\u200d🔥",
		"漢\ufe00\ufe01":         "漢\ufe00" + `\ufe01`, // bytes hidden in selectors
		"漢\u200d\u200c":         "漢\u200d" + `\u200c`,
		"漢\ufe00\ufe0f\u200d":   "漢\ufe00" + `\ufe0f\u200d`,
		"ᠠ\u180b":               "ᠠ\u180b",
		"\u0600١":               "\u0600١", // a sign that encloses a number
		"漢\U000e0100":           `漢\U000e0100`,
		"\ufffd":                "\ufffd",
	} {
		for n := 1; n <= 9; n++ {
			if got := shown(t, in, n); got != want {
				t.Errorf("%q in pieces of %d: got %q, want %q", in, n, got, want)
			}
		}
	}
}

func TestPromise9Escape(t *testing.T) {
	for in, want := range map[string]string{"": "", "a b": "a b", "a\nb\tc\r": `a\x0ab\x09c\x0d`, "é\x1b[m\xff": `é\x1b[m\xff`} {
		if got := Escape(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestTerminalKeepsTheWritersError(t *testing.T) {
	full := errors.New("full")
	term := NewTerminal(failing{full})
	if _, err := term.Write([]byte("x")); err != full {
		t.Errorf("got %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzTerminal(f *testing.F) {
	for _, s := range []string{"plain", "a\r\n\x1b[2J", "\xe2\x82", "\u009b\u202e\xff", "\r\r", "\u200f\u200b漢\ufe0f\u200d"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 1 || n > 1<<20 {
			t.Skip()
		}
		out := shown(t, s, n)
		if !utf8.ValidString(out) {
			t.Fatalf("got %q, want UTF-8", out)
		}
		for _, r := range out + Escape(s) {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) || unicode.In(r, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q reaches the terminal in %q", r, out)
			}
		}
		if again := shown(t, out, n); again != out {
			t.Fatalf("filtering %q again: got %q, want the same", out, again)
		}
		if whole := shown(t, s, len(s)+1); whole != out {
			t.Fatalf("in pieces of %d: got %q, want %q", n, out, whole)
		}
		if strings.ContainsAny(Escape(s), "\n\t") {
			t.Fatalf("got %q, want one line", Escape(s))
		}
	})
}
