package schemetest_test

import (
	"testing"

	"example.org/deref/schemes/internal/lineproto"
)

func TestLineEndsWrong(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "", "a\r\nb\r\n": "", "\r\n\r\n": "", "a\rb\r\n": "",
		"\n": "LF without CR", "a\r\nb\nc\r\n": "LF without CR", "\r\n\n": "LF without CR", "a\r\r\n": "CR CR LF",
	} {
		for step := 1; step <= 3; step++ { // a CR and its LF may come in different pieces
			var l lineproto.LineEnds
			got := ""
			for i := 0; i < len(in); i += step {
				if wrong := l.Wrong([]byte(in[i:min(i+step, len(in))])); got == "" {
					got = wrong
				}
			}
			if got != want {
				t.Errorf("%q by %d: got %q, want %q", in, step, got, want)
			}
		}
	}
}
