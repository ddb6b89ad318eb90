package htmltext

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// Lines are as wide as the terminal shows them: a Chinese character takes two cells, a combining mark none.
func TestLinesAreMeasuredInCells(t *testing.T) {
	decomposed := strings.Repeat("e\u0301e\u0301e\u0301 ", 10) // 39 cells
	for in, want := range map[string]string{
		decomposed + "x":                     strings.TrimSpace(decomposed) + "\nx\n",
		strings.Repeat("漢", 20) + "字":        strings.Repeat("漢", 20) + "\n字\n",
		strings.Repeat("漢", 20) + "。字":       strings.Repeat("漢", 19) + "\n漢。字\n",
		strings.Repeat("漢", 19) + "「字」":      strings.Repeat("漢", 19) + "\n「字」\n",
		strings.Repeat("漢字漢字漢字 ", 4):         "漢字漢字漢字 漢字漢字漢字 漢字漢字漢字\n漢字漢字漢字\n",
		"<ul><li>" + strings.Repeat("漢", 20): "  * " + strings.Repeat("漢", 18) + "\n    漢漢\n",
		"<h1>漢字</h1>":                        "漢字\n====\n",
	} {
		if got := render(t, in, "http://h/"); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", in, got, want)
		}
	}
}

// A text without blanks is not cut within a character.
func TestLongTextWithoutBlanks(t *testing.T) {
	text := strings.Repeat("漢字x", 5000)
	got := render(t, text, "http://h/")
	if joined := strings.ReplaceAll(got, "\n", ""); joined != text {
		t.Errorf("got %d bytes of text, want %d unchanged", len(joined), len(text))
	}
	for line := range strings.Lines(got) {
		if n := displaywidth.String(strings.TrimSuffix(line, "\n")); n > 40 {
			t.Fatalf("got a line of %d cells, want at most 40", n)
		}
	}
}
