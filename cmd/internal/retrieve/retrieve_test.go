package retrieve

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
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

// A partial document can be resumed, except from an archive, which never has more of it.
func TestHintAtResuming(t *testing.T) {
	for _, from := range []string{"", "a.warc"} {
		f := &Flags{}
		if from != "" {
			f.FromWarc = []string{from}
		}
		e, ok := errors.AsType[*fetch.Error](f.outcome(fetch.Errorf(fetch.ErrTruncated, "cut"), save.Result{Part: "a.part"}))
		if !ok || !strings.Contains(e.Hint, "a.part") || strings.Contains(e.Hint, "-C -") != (from == "") {
			t.Errorf("%q: got %+v, want a hint with a.part; with -C -: %v", from, e, from == "")
		}
	}
}
