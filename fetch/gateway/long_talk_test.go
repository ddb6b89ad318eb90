package gateway

import (
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
)

// The transcript of a page keeps the beginning of a long conversation. The lines after that cost nothing, and those before it are not copied
// again for each one.
func TestLongTranscript(t *testing.T) {
	line := fetch.Event{Time: time.Now(), Conn: 1, Dir: fetch.FromServer, Text: true, Data: []byte("* 1 FETCH (UID 1)\r\n")}
	c := newTranscript()
	for !c.cut {
		c.trace(line)
	}
	list, cut := c.said()
	if len(list) != 1 || !cut || len(list[0].text) > maxTranscript || len(list[0].text) < maxTranscript-100 || strings.Count(list[0].text, "S: * 1 FETCH (UID 1)\n") < 1000 {
		t.Errorf("got %d items, cut %t, the first with %d bytes; want one with about %d", len(list), cut, len(list[0].text), maxTranscript)
	}
	if n := testing.AllocsPerRun(100, func() { c.trace(line) }); n > 0 {
		t.Errorf("got %v allocations for a line that is not kept, want none", n)
	}
	text := strings.Repeat("S: 150 Here\nS: 226 Done\n", 1000)
	if n := testing.AllocsPerRun(10, func() { split(text) }); n > 2100 { // a line for its code, the list as it grows; not each reply
		t.Errorf("got %v allocations for 1000 replies, want at most 2100", n)
	}
}

// Replies are cut where the final one ends, and what follows is one more.
func TestSplit(t *testing.T) {
	got := split("S: 150 Here\nS: 226 Done\nS: 250-A\nS: 250 B\nS: more\n")
	want := []string{"S: 150 Here\nS: 226 Done\n", "S: 250-A\nS: 250 B\n", "S: more\n"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := split("S: no codes\n"); got != nil {
		t.Errorf("got %q, want none", got)
	}
}
