//go:build !wasip1

package screen

import (
	"slices"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/vt"

	"example.org/deref/fetch/browse"
)

// A frame can be larger than the terminal, because the terminal can become smaller while the frame is drawn.
func TestFrameLargerThanTheTerminal(t *testing.T) {
	tty, err := tcell.NewTerminfoScreenFromTty(vt.NewMockTerm(vt.MockOptSize{X: 5, Y: 2}), tcell.OptNegotiation(false), tcell.OptTerm("xterm"))
	if err == nil {
		err = tty.Init()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Fini()
	line := []browse.Part{{Text: "Pe\u0301ter "}, {Text: "Weiß"}, {Text: "日本"}}
	(&Screen{tty: tty}).draw(browse.Frame{Lines: slices.Repeat([][]browse.Part{line}, 3), X: 9, Y: 2})
	for y := range 2 {
		var got strings.Builder
		for x := range 5 {
			text, _, _ := tty.Get(x, y)
			got.WriteString(text)
		}
		if want := "Pe\u0301ter"; got.String() != want {
			t.Errorf("line %d: got %q, want %q", y, got.String(), want)
		}
	}
}
