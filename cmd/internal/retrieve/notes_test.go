package retrieve

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/uri"
)

// TestNoAnswer checks that a server that stays silent for some seconds is named, and that one that answers is not.
func TestNoAnswer(t *testing.T) {
	for _, c := range []struct {
		uri    string
		flags  Flags
		answer time.Duration
		want   string
	}{
		{"prospero://h.example/x", Flags{}, time.Minute, "deref: note: no response from h.example yet, still waiting\n"},
		{"http://h.example/x", Flags{}, quietTime + 1, "deref: note: no response from h.example yet, still waiting\n"},
		{"http://h.example/x", Flags{}, quietTime - 1, ""},
		{"http://h.example/x", Flags{silent: true}, time.Minute, ""},
		{"file:/x", Flags{}, time.Minute, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var b strings.Builder
			stop := (&retrieval{command: &command{flags: &c.flags}}).waitFor(uri.MustParse(c.uri), quietTime, &b)
			time.Sleep(c.answer)
			stop()
			synctest.Wait()
			if b.String() != c.want {
				t.Errorf("%s, answer after %v: got %q, want %q", c.uri, c.answer, b.String(), c.want)
			}
		})
	}
}
