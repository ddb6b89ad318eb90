package retrieve

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		p    *progress
		n    int64
		want string
	}{
		{&progress{width: 60, size: 2048}, 1024, "[===========            ]  50% 1.0 KiB of 2.0 KiB, 512 bytes/s, 2s left"},
		{&progress{width: 39, size: 2048}, 1024, "[====     ]  50% 1.0 KiB of 2.0 KiB, 2s left"},
		{&progress{width: 39, size: 200 << 30}, 10 << 30, "[=     ]   5% 10.0 GiB of 200.0 GiB"},
		{&progress{width: 79, size: 4 << 20, had: 2 << 20}, 1 << 20, "[=====     ]  75% 3.0 MiB of 4.0 MiB, 512.0 KiB/s, 2s left"}, // -C: 2 MiB were there
		{&progress{width: 79, many: true, items: 9, opened: 9, size: 4096, done: 7, failed: 1}, 2048, "8 of 9 documents, 2.0 KiB of 4.0 KiB, 1.0 KiB/s, 2s, 1 failed"},
		{&progress{width: 79, many: true, items: 9, opened: 8, size: 4096, done: 7}, 2048, "7 of 9 documents, 2.0 KiB, 1.0 KiB/s, 2s"}, // a size is missing
		{&progress{width: 39, many: true, items: 900, opened: 900, size: 4096, done: 7, failed: 1}, 2048, "8 of 900 documents, 2.0 KiB, 1 failed"},
		{&progress{width: 50, size: -1}, 3 << 20, "3.0 MiB, 1.5 MiB/s, 2s"},
		{&progress{width: 60, size: 100}, 100, "[                   ] 100% 100 bytes of 100 bytes, 50 bytes/s"},
		{&progress{width: 79, many: true, done: 7, failed: 1}, 2048, "7 documents, 2.0 KiB, 1.0 KiB/s, 2s, 1 failed"},
		{&progress{width: 10, many: true}, 0, "0 document"},
	} {
		got := test.p.line(test.n, 2*time.Second)
		if len(got) > test.p.width {
			t.Errorf("got %q, want at most %d columns", got, test.p.width)
		}
		squeeze := func(s string) string {
			return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '=' }), " ")
		}
		if g, w := squeeze(got), squeeze(test.want); g != w && !strings.HasPrefix(w, g) {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

// After -C, only the bytes of this run make the rate.
func TestProgressOfARest(t *testing.T) {
	p := &progress{width: 79}
	o := &save.Options{}
	p.follow(o)
	d := fetch.NewDocument(io.NopCloser(strings.NewReader("0123456789")))
	d.Offset, d.Size = 990, 1000
	if err := o.Opened(d); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, d.Body)
	if got, want := p.line(p.bytes, time.Second), "] 100% 1000 bytes of 1000 bytes, 10 bytes/s"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at its end", got, want)
	}
}

// TestProgressTakesItsLineAway checks that no part of the progress line stays on the screen.
func TestProgressTakesItsLineAway(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		p := &progress{w: w, width: 20, many: true}
		stop := p.start()
		p.ended(nil)
		time.Sleep(showAfter + showEvery/2) // after the line is first shown and before it is updated
		p.aside(func() { io.WriteString(w, "deref: x\n") })
		stop()
	})
	w.Close()
	b, _ := io.ReadAll(r)
	if s := string(b); !strings.Contains(s, "\r1 documents") || !strings.HasSuffix(s, "\r"+strings.Repeat(" ", 20)+"\rderef: x\n") {
		t.Errorf("got %q, want it to contain %q and to end in %q", s, "\r1 documents", "\r"+strings.Repeat(" ", 20)+"\rderef: x\n")
	}
}

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
