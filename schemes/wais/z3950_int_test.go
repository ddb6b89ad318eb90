package wais_test

import (
	"testing"

	"example.org/deref/schemes/wais/internal/z3950"
)

func TestCompressedIntegers(t *testing.T) {
	for n, want := range map[int]string{0: "\x00", 99: "\x63", 127: "\x7f", 128: "\x81\x00", 133: "\x81\x05", 150: "\x81\x16",
		16384: "\x81\x80\x00", 1<<31 - 1: "\x87\xff\xff\xff\x7f"} {
		got := string(z3950.AppendInt(nil, n))
		if got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
		if m, rest, ok := z3950.ReadInt([]byte(got + "x")); m != n || string(rest) != "x" || !ok {
			t.Errorf("ReadInt(%q) = %d, %q, %v, want %d, x", got+"x", m, rest, ok, n)
		}
	}
	if n, _, ok := z3950.ReadInt([]byte("\x80\x80\x05")); n != 5 || !ok {
		t.Errorf("with padding: got %d, %v, want 5", n, ok)
	}
	for _, bad := range []string{"", "\x81", "\x88\x80\x80\x80\x00", "\x81\x81\x81\x81\x81\x01"} {
		if _, _, ok := z3950.ReadInt([]byte(bad)); ok {
			t.Errorf("ReadInt(%q): got no error", bad)
		}
	}
}
