package terminal

import (
	"strings"
	"testing"
)

func TestColours(t *testing.T) {
	var b strings.Builder
	c := &colors{w: &b, fresh: true}
	for _, s := range []string{"C: USER\nS: 331", " wanted\n", "*: [end]\n", "S: \u3164\x1b\n"} {
		if n, err := c.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatalf("got %d, %v; want %d", n, err, len(s))
		}
	}
	if want := "\x1b[36mC: USER\x1b[m\n\x1b[32mS: 331 wanted\x1b[m\n\x1b[2m*: [end]\x1b[m\n\x1b[32mS: \\u3164\\x1b\x1b[m\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
