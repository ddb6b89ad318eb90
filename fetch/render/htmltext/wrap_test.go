package htmltext

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

func ExampleWrap() {
	for _, line := range Wrap("* a long item of a list", 16, 2) {
		fmt.Println(line)
	}
	// Output:
	// * a long item of
	//   a list
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text        string
		width, hang int
		want        []string
	}{
		{"", 10, 0, []string{""}},
		{"one two", 10, 0, []string{"one two"}},
		{"one two three", 7, 0, []string{"one two", "three"}},
		{"one  two   three", 9, 0, []string{"one  two", "three"}}, // blanks within a line stay, those at a break do not
		{"  indented text", 10, 2, []string{"  indented", "  text"}},
		{"abcdefghij", 4, 0, []string{"abcd", "efgh", "ij"}},
		{"see abcdefghij", 4, 2, []string{"see", "  ab", "  cd", "  ef", "  gh", "  ij"}},
		{"a\tb", 20, 0, []string{"a       b"}},
		{"目目目", 4, 0, []string{"目目", "目"}},
		{"目目。", 4, 0, []string{"目", "目。"}}, // no line begins with a full stop
		{"xxx 目", 4, 0, []string{"xxx", "目"}},
		{strings.Repeat(" ", 30) + "x", 8, 0, []string{"x"}},
		{"0。", 2, 1, []string{"0", "。"}},                      // nor does this one
		{"one two three", 7, 6, []string{"one two", "three"}}, // such an indentation leaves no room
	} {
		if got := Wrap(tt.text, tt.width, tt.hang); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %d columns: got %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("one two 目目。e\u0301 three", 7, 2)
	f.Fuzz(func(t *testing.T, s string, width, hang int) {
		width, hang = 2+(width&0x3f), hang&0x3f
		for _, line := range Wrap(s, width, hang) {
			if n := displaywidth.String(line); n > width {
				t.Errorf("%q in %d columns, %d indented: got %q, which takes %d", s, width, hang, line, n)
			}
		}
	})
}
