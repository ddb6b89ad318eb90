package spill

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

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
