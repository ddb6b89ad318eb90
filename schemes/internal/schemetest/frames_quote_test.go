package schemetest_test

import (
	"strings"
	"testing"

	"example.org/deref/schemes/internal/frames"
)

func TestFramesQuote(t *testing.T) {
	for _, x := range []struct{ value, want string }{
		{"", `""`}, {"a\r\n\x1b[2J\xff", `"a\r\n\x1b[2J\xff"`},
		{strings.Repeat("ä", 40), `"` + strings.Repeat("ä", 30) + `"... (80 bytes)`},
		{"x" + strings.Repeat("ä", 40), `"x` + strings.Repeat("ä", 29) + `"... (81 bytes)`},
	} {
		if got := frames.Quote(x.value); got != x.want {
			t.Errorf("Quote(%q): got %s, want %s", x.value, got, x.want)
		}
	}
}
