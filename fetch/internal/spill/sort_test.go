package spill

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSorter sorts lines in memory, in some runs, and in runs of runs, and leaves no file.
func TestSorter(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 40_000} {
		s := Sorter{Dir: t.TempDir()}
		var want []string
		for _, i := range rand.Perm(n) {
			line := fmt.Sprintf("%0300d", i/2)
			want = append(want, line+"\n")
			if err := s.Add(line); err != nil {
				t.Fatal(err)
			}
		}
		if runs := n * 300 / maxHeld; len(s.runs) > runs || runs > maxRuns && len(s.runs) > runs/2 {
			t.Errorf("%d lines: got %d runs, want at most %d, merged", n, len(s.runs), runs)
		}
		slices.Sort(want)
		var got strings.Builder
		w := bufio.NewWriter(&got)
		if err := s.Write(w); err != nil || w.Flush() != nil || got.String() != strings.Join(want, "") {
			t.Errorf("%d lines: got %v, %d bytes, want %d in order", n, err, got.Len(), len(want)*301)
		}
		s.Close()
		if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 {
			t.Errorf("%d lines: got %v, %v in the directory, want nothing", n, left, err)
		}
	}
}
