package retrieve

import (
	"testing"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
)

func TestRangeOfFlags(t *testing.T) {
	for in, want := range map[string]fetch.Range{"": {}, "0-3": {To: 4}, "5-": {From: 5}, "-7": {From: -7}, "2-2": {From: 2, To: 3}} {
		if r, err := parseRange(in); err != nil || r != want {
			t.Errorf("%q: %v, %v, want %v", in, r, err, want)
		}
	}
	for _, in := range []string{"-", "3", "a-b", "5-2", "1-2-3", "0-99999999999999999999", "-0", " 1-2"} {
		if r, err := parseRange(in); app.ExitCode(err) != 2 {
			t.Errorf("%q: %v, %v, want a usage error", in, r, err)
		}
	}
}
