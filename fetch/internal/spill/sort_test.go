package spill

import (
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSorter sorts lines in memory, in some runs, and in runs of runs, and leaves no file.
func TestSorter(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 30_000} {
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
		if err := s.Write(&got); err != nil || got.String() != strings.Join(want, "") {
			t.Errorf("%d lines: got %v, %d bytes, want %d in order", n, err, got.Len(), len(want)*301)
		}
		s.Close()
		if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 {
			t.Errorf("%d lines: got %v, %v in the directory, want nothing", n, left, err)
		}
	}
}

func TestEachLine(t *testing.T) {
	bad := errors.New("bad")
	long := strings.Repeat("x", 99)
	for _, c := range []struct {
		in, want string
		end      int64
		err      bool
	}{
		{"", "", 0, false},
		{"a\n\nb\ncut", "0 a,2 ,3 b,", 5, false},
		{long + "\n" + long[1:], "0 " + long + ",", 100, false},
		{"a\n" + long + "x\n", "0 a,", 2, true},
		{"a\nstop\nb\n", "0 a,2 stop,", 2, false},
		{"a\nbad\nb\n", "0 a,2 bad,", 2, true},
	} {
		got := ""
		end, err := EachLine(strings.NewReader(c.in), 100, func(line []byte, at int64) error {
			got += fmt.Sprintf("%d %s,", at, line)
			if again, err := LineAt(strings.NewReader(c.in), at, 100); string(again) != string(line)+"\n" || err != nil {
				t.Errorf("at %d: got %q, %v, want %q", at, again, err, line)
			}
			return map[string]error{"stop": io.EOF, "bad": bad}[string(line)]
		})
		if got != c.want || end != c.end || (err != nil) != c.err {
			t.Errorf("%.20q: got %q, %d, %v, want %q, %d, an error: %t", c.in, got, end, err, c.want, c.end, c.err)
		}
	}
}
