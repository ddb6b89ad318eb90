package charset_test

import (
	"testing"

	"example.org/deref/fetch/charset"
)

func TestFileName(t *testing.T) {
	for _, c := range []struct{ name, label, want string }{
		{"\x8f\x90\x88.TXT", "cp866", "ПРИ.TXT"},
		{"\x95\x5c.txt", "shift_jis", "表.txt"},
		{"M\x81ller", "cp437", "Müller"},
		{"é", "koi8-r", "é"}, // UTF-8
		{"\xe9", "", "\xe9"},
		{"\xe9", "utf-8", "\xe9"},
		{"\xe9", "koi9", "\xe9"},
		{"\x81\xff", "shift_jis", "\x81\xff"}, // not in that charset
	} {
		if got := charset.FileName(c.name, c.label); got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.name, c.label, got, c.want)
		}
	}
}
