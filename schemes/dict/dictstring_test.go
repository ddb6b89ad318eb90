package dict_test

import (
	"testing"

	"example.org/deref/schemes/internal/lineproto"
)

func TestDictstringCut(t *testing.T) {
	for _, tt := range []struct{ line, s, rest string }{
		{"", "", ""},
		{`laba "Lab dictionary a"`, "laba", `"Lab dictionary a"`},
		{`"two words" x`, "two words", "x"},
		{`'it"s' x`, `it"s`, "x"},
		{`"a \"b\" \\" x`, `a "b" \`, "x"},
		{`a\ b c`, "a b", "c"},
		{`"" x`, "", "x"},
		{`"open x`, "open x", ""},
		{`a"b c"d e`, "ab cd", "e"}, // RFC 2229 §2.2: a string is words and quoted parts without a blank between
		{"\ta\t b", "a", "b"},
		{`a\`, `a\`, ""},
	} {
		if s, rest := lineproto.CutString(tt.line); s != tt.s || rest != tt.rest {
			t.Errorf("Cut(%q) = %q, %q, want %q, %q", tt.line, s, rest, tt.s, tt.rest)
		}
	}
}

// FuzzDictstring checks that a quoted string is parsed as that string, and does not affect the string after it.
func FuzzDictstring(f *testing.F) {
	f.Add("two words", `it's "so"\`)
	f.Add("", "caf\xc3\xa9")
	f.Fuzz(func(t *testing.T, a, b string) {
		s, rest := lineproto.CutString(lineproto.QuoteString(a) + " " + lineproto.QuoteString(b))
		if s != a {
			t.Fatalf("%q was read back as %q", a, s)
		}
		if s, rest = lineproto.CutString(rest); s != b || rest != "" {
			t.Fatalf("%q after %q was read back as %q, %q", b, a, s, rest)
		}
	})
}
