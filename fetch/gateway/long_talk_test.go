package gateway

import (
	"cmp"
	"io"
	"slices"
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
}

// What the client sends at once is one item, and so is each reply: a preliminary one belongs to the final one.
func TestItems(t *testing.T) {
	c := newTranscript()
	io.WriteString(c, "C: A\nC: B\nS: 150 Here\nS: 226 Done\nS: 250-A\nS: 250 B\nS: more\n")
	c.now = c.now.Add(1)
	io.WriteString(c, "S: again\nC: D\n")
	c.now = c.now.Add(1)
	io.WriteString(c, "C: E\n")
	list, _ := c.said()
	got, want := texts(list), []string{"C: A\nC: B\n", "S: 150 Here\nS: 226 Done\n", "S: 250-A\nS: 250 B\n", "S: more\nS: again\n", "C: D\n", "C: E\n"}
	if !slices.Equal(got, want) || !slices.IsSortedFunc(list, func(a, b said) int { return cmp.Compare(a.after, b.after) }) {
		t.Errorf("got %q, want %q in the order of their times", got, want)
	}
}

func texts(list []said) (out []string) {
	for _, s := range list {
		out = append(out, s.text)
	}
	return out
}

// A request on a kept connection shows how it was opened: nothing of the earlier request itself, which may be another user's.
func TestOpenings(t *testing.T) {
	user, pass := fetch.Step{Verb: "USER", Args: []string{"ann"}}, fetch.Step{Verb: "PASS", Secret: true}
	for _, tt := range []struct {
		name, earlier, now string
		steps              []fetch.Step
		want               []string
	}{
		{"pipelined", "*: [connected to h]\n*: (a remark about /secret)\n*2: [connected to h]\nS: 220 hi\nC: USER ann\nC: PASS ***\nC: CWD secret\nS: 331 go on\nS: 230-Hello\nS: 230 in\nS: 250 secret\n", "C: CWD a\n",
			[]fetch.Step{user, pass, {Verb: "CWD", Args: []string{"a"}}}, []string{"*: [connected to h]\n", "S: 220 hi\n", "C: USER ann\nC: PASS ***\n", "S: 331 go on\n", "S: 230-Hello\nS: 230 in\n"}},
		{"texts", "S: 200 hi\nC: CAPABILITIES\nC: ARTICLE secret\nS: 101 List\nS: READER\nS: .\nS: 220 secret\n", "", []fetch.Step{{Verb: "CAPABILITIES"}}, []string{"S: 200 hi\n", "C: CAPABILITIES\n", "S: 101 List\nS: READER\nS: .\n"}},
		{"in turn", "S: 220 hi\nC: USER ann\nS: 331 go on\nC: RETR secret\nS: 226 secret\n", "", []fetch.Step{user}, []string{"S: 220 hi\n", "C: USER ann\n", "S: 331 go on\n"}},
		{"sent again", "*: [TLS 1.3]\nC: GET / HTTP/1.1\nS: HTTP/1.1 200 OK\n", "C: GET / HTTP/1.1\n", []fetch.Step{{Verb: "GET", Args: []string{"/", "HTTP/1.1"}}}, []string{"*: [TLS 1.3]\n"}},
		{"tags", "S: * OK\nC: T1 LOGIN ***\nS: T1 OK\nC: T2 EXAMINE secret\nS: T2 OK secret\n", "C: T3 EXAMINE b\n", []fetch.Step{{Verb: "LOGIN", Secret: true}}, []string{"S: * OK\n", "C: T1 LOGIN ***\n", "S: T1 OK\n"}},
		{"long", "S: " + strings.Repeat("x", maxOpening) + "\n", "", nil, nil},
	} {
		var o openings
		first, second := newTranscript(), newTranscript()
		first.conn, first.fresh, second.conn = 7, true, 7
		io.WriteString(first, tt.earlier)
		io.WriteString(second, tt.now)
		o.keep(first)
		o.keep(second)
		now, _ := second.said()
		if got := texts(o.before(second, &fetch.Plan{Steps: tt.steps}, now)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	var o openings
	for n := range 3 * maxOpenings {
		o.keep(&transcript{recorder: newTranscript().recorder, conn: n, fresh: true})
	}
	if len(o.said) > maxOpenings {
		t.Errorf("got %d openings, want at most %d", len(o.said), maxOpenings)
	}
}
