package mirror_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/mirror"
)

// A hole is a gopher server that replies to each selector with the given text; "" closes the connection.
type hole struct {
	addr    string
	mu      sync.Mutex
	answers map[string]string
	all     *string // the reply to every selector
}

func newHole(t *testing.T) *hole {
	t.Helper()
	h := &hole{answers: map[string]string{}}
	h.addr = loopback.ForTest(t, h.serve)
	return h
}

func (h *hole) root() string { return "gopher://" + h.addr + "/" }

func (h *hole) serve(c net.Conn) {
	line := make([]byte, 256)
	n, _ := c.Read(line)
	selector, _, _ := strings.Cut(strings.TrimRight(string(line[:n]), "\r\n"), "\t")
	h.mu.Lock()
	text, ok := h.answers[selector]
	if h.all != nil {
		text, ok = *h.all, true
	}
	h.mu.Unlock()
	if !ok {
		text = "3'" + selector + "' does not exist\t\terror.host\t1\r\n.\r\n"
	}
	c.Write([]byte(text))
}

// menu returns a menu of n texts.
func (h *hole) menu(n int, end string) string {
	host, port, _ := net.SplitHostPort(h.addr)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "0text %d\t/%02d.txt\t%s\t%s\r\n", i, i, host, port)
	}
	return b.String() + end
}

// set sets a menu of n texts, of which the first some exist.
func (h *hole) set(n, some int, end string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers = map[string]string{"": h.menu(n, end), "robots.txt": "\r\n"}
	for i := range some {
		h.answers[fmt.Sprintf("/%02d.txt", i)] = "text\r\n.\r\n"
	}
}

// TestDeleteInGopher: a name missing in a menu counts only if the menu is complete.
func TestDeleteInGopher(t *testing.T) {
	t.Parallel()
	const end = ".\r\n"
	for _, c := range []struct {
		name    string
		now     func(*hole)
		deleted int64
		kept    int64
		fails   bool
	}{
		{"too busy", func(h *hole) { s := "3Server too busy\tx\terror.host\t1\r\n.\r\n"; h.all = &s }, 0, 0, true},
		{"hangs up", func(h *hole) { s := ""; h.all = &s }, 0, 0, true},
		{"an error in the place of the texts", func(h *hole) {
			h.set(3, 3, "3The rest is not to be had\tx\terror.host\t1\r\n"+end)
			h.mu.Lock()
			defer h.mu.Unlock()
			for i := 3; i < 8; i++ {
				h.answers[fmt.Sprintf("/%02d.txt", i)] = "3Server too busy\tx\terror.host\t1\r\n"
			}
		}, 0, 5, false},
		{"truncated, and all are there", func(h *hole) { h.set(3, 8, "") }, 0, 5, false},
		{"truncated, and some are there", func(h *hole) { h.set(3, 6, "") }, 2, 3, false},
		{"information alone", func(h *hole) { h.set(0, 8, "iclosed for today\tx\terror.host\t1\r\n"+end) }, 0, 8, false},
		{"a whole menu", func(h *hole) { h.set(5, 8, end) }, 3, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHole(t)
			h.set(8, 8, end)
			dir := t.TempDir()
			run(t, h.root(), dir, &mirror.Options{NoIndex: true})
			c.now(h)
			r := deletes(t, h.root(), dir, nil)
			if r.err != nil || r.sum.Deleted != c.deleted || r.sum.Kept != c.kept || r.left != 9-int(c.deleted) {
				t.Errorf("got %d deleted, %d kept, %d left, %v; want %d, %d", r.sum.Deleted, r.sum.Kept, r.left, r.err, c.deleted, c.kept)
			}
			if c.fails != (r.sum.First != nil) {
				t.Errorf("got the first error %v, want another", r.sum.First)
			}
		})
	}
}
