package mail

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
)

// inspected passes bytes through a guard in pieces of size n.
func inspected(in string, large, n int) (*guard, error) {
	g := &guard{beginReply: func() {}, beginBody: func() {}, maxUnrequested: 4 << 10, left: 4 << 10, nesting: 50, large: large, pending: 1}
	for len(in) > 0 {
		k := min(n, len(in))
		if err := g.inspect([]byte(in[:k])); err != nil {
			return g, err
		}
		in = in[k:]
	}
	return g, nil
}

func TestGuard(t *testing.T) {
	deep := strings.Repeat("(", 60)
	for _, c := range []struct {
		name, in string
		large    int
		kind     fetch.Kind
	}{
		{"a message", "* 1 FETCH (UID 1 BODY[] {6000}\r\n" + strings.Repeat("(", 6000) + ")\r\nT1 OK\r\n", 1, ""},
		{"a literal that nobody asked for", "* 1 FETCH (UID 1 BODY[] {6000}\r\n", 0, fetch.ErrLimit},
		{"a second one", "* 1 FETCH (BODY[] {6000}\r\n" + strings.Repeat("x", 6000) + " X {6000}\r\n", 1, fetch.ErrLimit},
		{"small ones without end", strings.Repeat("* 1 FETCH (X {9}\r\n123456789)\r\n", 1000), 0, fetch.ErrLimit},
		{"nested", "* 1 FETCH " + deep, 1, fetch.ErrLimit},
		{"a string", `* 1 FETCH (X "` + deep + `")` + "\r\nT1 OK\r\n", 1, ""},
		{"strings that hide", `* 1 FETCH (X "` + strings.Repeat("(", 1001), 1, fetch.ErrLimit},
		{"a literal in a status line is none", "* OK {5000}\r\n* 1 FETCH " + deep, 1, fetch.ErrLimit},
		{"a literal in a string is none", `* 1 FETCH (X "{5000}` + "\r\n* 1 FETCH " + deep, 1, fetch.ErrProtocol},
		{"a string over the end of the line", `* 1 FETCH (X "abc` + "\r\nT1 OK\r\n", 1, fetch.ErrProtocol},
		{"a code over the end of the line", "T1 NO [AUTHENTICATIONFAILED not you\r\n", 0, fetch.ErrProtocol},
		{"an untagged one", "* OK [X y\r\nT1 OK\r\n", 0, fetch.ErrProtocol},
		{"codes and brackets in their places", "* OK [X y] z [a\r\n* NO a [b\r\n+ [c\r\nT1 OK [Y] \r\n", 0, ""},
		{"what nobody asked for", "* ENABLED X\r\nT1 OK\r\n", 0, fetch.ErrProtocol},
		{"in lower case, and empty", "* thread\r\nT1 OK\r\n", 0, fetch.ErrProtocol},
		{"in a text", "* OK ENABLED X\r\n* 1 FETCH (FLAGS (ENABLED))\r\n* SEARCH\r\n* LIST () \"/\" THREAD\r\nT1 OK\r\n", 0, ""},
		{"a blank after the size", "* 1 FETCH (UID 1 BODY[] {6000} \r\nT1 OK\r\n", 0, fetch.ErrLimit},
		{"untagged for ever", strings.Repeat("* 1 EXISTS\r\n", 1000), 1, fetch.ErrLimit},
	} {
		for _, n := range []int{1, 7, 100000} {
			if _, err := inspected(c.in, c.large, n); fetch.KindOf(err) != c.kind {
				t.Errorf("%s, by %d: got %v, want %v", c.name, n, err, c.kind)
			}
		}
	}
	if g, err := inspected("* BYE tired\r\nT1 OK\r\n", 0, 3); err != nil || g.bye != "tired" || g.pending != 0 {
		t.Errorf("got %v %+v, want g.bye %q, g.pending 0", err, g, "tired")
	}
}

// A wait for bytes that no response will bring ends with the time for a reply, or with the request. An idle session waits as long as
// necessary.
func TestGuardWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := &guard{idle: time.Minute, ctx: ctx}
		g.changed.L = &g.mu
		ended := make(chan error, 1)
		go func() { ended <- g.wait() }()
		time.Sleep(time.Hour)
		select {
		case err := <-ended:
			t.Fatalf("an idle session ends: got %v, want it to wait", err)
		default:
		}
		start := time.Now()
		g.call(func() error {
			if err := <-ended; fetch.KindOf(err) != fetch.ErrProtocol || time.Since(start) != 2*time.Minute {
				t.Errorf("after %s: got %v, want %v, after %v", time.Since(start), err, fetch.ErrProtocol, 2*time.Minute)
			}
			return nil
		})
		g = &guard{idle: time.Minute, ctx: ctx}
		g.changed.L = &g.mu
		go func() { ended <- g.wait() }()
		for range 3 { // calls that return in time leave no timer running
			g.call(func() error { time.Sleep(80 * time.Second); return nil })
		}
		time.AfterFunc(time.Second, cancel)
		start = time.Now()
		g.call(func() error {
			if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
				t.Errorf("after %s: got %v, want %v, after %v", time.Since(start), err, context.Canceled, time.Second)
			}
			return nil
		})
	})
}

// FuzzGuard checks that the division into pieces makes no difference.
func FuzzGuard(f *testing.F) {
	f.Add("* 1 FETCH (UID 1 BODY[] {3}\r\n(((\"x\\\"\")\r\nT1 OK [X] y\r\n", 3)
	f.Add("* OK {3}\r\n+ {2}\r\n{0}\r\n{1+}\r\n", 1)
	f.Fuzz(func(t *testing.T, in string, n int) {
		a, err1 := inspected(in, 1, len(in)+1)
		b, err2 := inspected(in, 1, max(1, n%50))
		if fetch.KindOf(err1) != fetch.KindOf(err2) || err1 == nil &&
			(a.pending != b.pending || a.left != b.left || a.literal != b.literal) {
			t.Errorf("got %v by one piece and %v by several, want the same Kind and state", err1, err2)
		}
	})
}
