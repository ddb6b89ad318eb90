package warc

import (
	"bytes"
	"strings"
	"testing"
)

// A brief dialogue has the commands and the ends of replies, and is short however long the dialogue was.
func TestCopyBrief(t *testing.T) {
	const in = "*: [TLS 1.3, X]\nS: 220 hello\n*: [if FEAT lists MLST]\n*: MLSD\n*: search \"a\"\n# C: words\nC: MLSD\nS: one\nS: two\nS: three\nS: four\n"
	for _, c := range []struct{ name, in, want string }{
		{"short", in, "S: 220 hello\n*: search \"a\"\nC: MLSD\nS: one\nS: two\nS: four\n"},
		{"long", in + strings.Repeat("C: AGAIN\nS: yes, again and again\n", 8) + "S: end\n",
			"*: search \"a\"\nC: MLSD\n" + strings.Repeat("C: AGAIN\n", 8) + "S: end\n"},
		{"a long command", "*: RETR a\nC: " + strings.Repeat("a", 200) + "\nS: " + strings.Repeat("b", 100) + "\n", "*: RETR a\n"},
	} {
		var b bytes.Buffer
		if copyBrief(&b, strings.NewReader(c.in)); b.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, &b, c.want)
		}
	}
	var b bytes.Buffer
	if copyBrief(&b, strings.NewReader(strings.Repeat("C: NEXT\nS: no\n", 1<<20/14))); b.Len() > maxBriefText {
		t.Errorf("got %d bytes of a dialogue of 1 MiB, want at most %d", b.Len(), maxBriefText)
	}
}
