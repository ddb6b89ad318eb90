package dialogue_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

func TestParse(t *testing.T) {
	for _, x := range []struct{ text, dir, data string }{
		{"C: GET /", "C", "GET /\r\n"},
		{"C:", "C", "\r\n"},
		{"S: one\\n\\", "S", "one\n"},
		{"S: \\x00\\xff\\t\\\\\\r\\", "S", "\x00\xff\t\\\r"},
		{"S= AAEC", "S", "\x00\x01\x02"},
		{"C0: datagram", "C", "datagram"},
		{"S0: a\\n\\\nS0: b", "S", "a\nb"},
		{"S7:  two blanks", "S", " two blanks\r\n"},
		{"# nobody\n\nC: x\r", "C", "x\r\n"},
	} {
		s, err := dialogue.Parse(x.text)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
			continue
		}
		if len(s.Lines) != 1 || string(s.Lines[0].Data) != x.data || s.Lines[0].Dir != x.dir[0] {
			t.Errorf("%q: got %+v, want one line %s %q", x.text, s.Lines, x.dir, x.data)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"X: what", "C", "C9999999: x", "Cx: y", "C: \\q", "C: \\x0", "C: \\xzz", "S= ???", "*: [dance]", "*: [end", "*: [delay soon]",
		"*: [delay -1s]", "S| no alternative", "C| of nothing", "C: a\nC2| of another", "*= AAEC",
	} {
		if s, err := dialogue.Parse(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, s.Lines)
		}
	}
}

// FuzzParse checks that Parse is the inverse of String.
func FuzzParse(f *testing.F) {
	f.Add("C: a\nC| b\nS: x\\\nS: y\n*: [if a b]\n*: (note)\n*: words [x\n*2: [connected to 1.2.3.4:5]\nS0: a\\\nS0: b\nS= AAEC\n")
	f.Add("C: ***\nS: \\x20\n*: \\x5bx\n*:\n*: [delay 1ms]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := dialogue.Parse(text)
		if err != nil {
			return
		}
		once := s.String()
		again, err := dialogue.Parse(once)
		if err != nil {
			t.Fatalf("%q is written as %q, and reading that returns %v, want no error", text, once, err)
		}
		if a, b := happenings(s), happenings(again); !slices.Equal(a, b) {
			t.Fatalf("%q: got events %q after String, want %q", text, b, a)
		}
		for _, conn := range []int{0, 1, 2} {
			for _, dir := range []byte{'C', 'S'} {
				if a, b := bytesOf(s, conn, dir), bytesOf(again, conn, dir); !bytes.Equal(a, b) {
					t.Fatalf("%q: got bytes %q after String, want %q", text, b, a)
				}
			}
		}
	})
}

// happenings returns steps and events as text.
func happenings(s *dialogue.Script) []string {
	var list []string
	for _, l := range s.Lines {
		if l.Dir == '*' {
			list = append(list, fmt.Sprint(l.Conn, " ", l.Mark, "|", l.Arg, "|", l.Words))
		}
	}
	return list
}

func bytesOf(s *dialogue.Script, conn int, dir byte) []byte {
	var b []byte
	for _, l := range s.Lines {
		if l.Conn == conn && l.Dir == dir {
			b = append(b, l.Data...)
		}
	}
	return b
}

func TestMatch(t *testing.T) {
	for _, x := range []struct {
		pattern, text string
		want          bool
	}{
		{"abc", "abc", true}, {"abc", "ab", false}, {"abc", "abcd", false}, {"", "", true},
		{"PASS ***\r\n", "PASS open\r\n", true}, {"PASS ***\r\n", "PASS \r\n", true},
		{"PASS ***\r\n", "PASS a\r\nDELE b\r\n", false},
		{"a***c***e", "abcde", true}, {"a***c***e", "abcd", false}, {"a***", "abc", true}, {"a***", "ab\nc", false},
		{"***x***", "aXxb", true}, {"***\r\nB", "anything\r\nB", true},
	} {
		if got := dialogue.Match([]byte(x.pattern), []byte(x.text)); got != x.want {
			t.Errorf("Match(%q, %q) = %v, want %v", x.pattern, x.text, got, x.want)
		}
	}
}

const two = `
S: ready
C: OPEN
C| START
S: 40001
*2: [connected to 127.0.0.1:40001]
S2: data\
*2: [end]
S: done
C: BYE
*: [end]
`

func play(t *testing.T, text string) *dialogue.Player {
	t.Helper()
	s, err := dialogue.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dialogue.NewPlayer(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlayTwoConnections(t *testing.T) {
	p := play(t, two)
	c, _ := p.Dial(t.Context(), "tcp", "somewhere:1")
	io.WriteString(c, "STA")
	io.WriteString(c, "RT\r\n")
	d, err := p.Dial(t.Context(), "tcp", "somewhere:40001")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(d); string(b) != "data" || err != nil {
		t.Errorf("got data %q, %v, want %q", b, err, "data")
	}
	io.WriteString(c, "BYE\r\n")
	if b, err := io.ReadAll(c); string(b) != "ready\r\n40001\r\ndone\r\n" || err != nil {
		t.Errorf("got replies %q, %v, want %q", b, err, "ready\r\n40001\r\ndone\r\n")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestPlayNoticesDeviations(t *testing.T) {
	dial := func(p *dialogue.Player, addr, text string) {
		if c, err := p.Dial(context.Background(), "tcp", addr); err == nil {
			io.WriteString(c, text)
		}
	}
	for _, x := range []struct {
		name string
		do   func(*dialogue.Player)
		want string
	}{
		{"nothing sent", func(p *dialogue.Player) {}, "did not send"},
		{"another word", func(p *dialogue.Player) { dial(p, "h:1", "CLOSE\r\n") }, "want"},
		{"too few", func(p *dialogue.Player) { dial(p, "h:1", "OPE") }, "did not send"},
		{"another port", func(p *dialogue.Player) { dial(p, "h:1", "OPEN\r\n"); dial(p, "h:2", "") }, "want port 40001"},
		{"too much", func(p *dialogue.Player) { dial(p, "h:1", "OPEN\r\nBYE\r\nMORE\r\n"); dial(p, "h:40001", "") },
			"after the end of the script"},
		{"a third connection", func(p *dialogue.Player) { dial(p, "h:1", ""); dial(p, "h:40001", ""); dial(p, "h:3", "") }, "no connection 3"},
	} {
		p := play(t, two)
		x.do(p)
		if err := p.Close(); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: got %v, want an error with %q", x.name, err, x.want)
		}
	}
}

func TestDatagrams(t *testing.T) {
	p := play(t, "C0: ping\nC0: ping\nS0: pong\n*: [delay 1ms]\nS0: late")
	s, peer, err := p.Datagrams(t.Context(), "192.0.2.1:1525")
	if err != nil || peer.String() != "192.0.2.1:1525" {
		t.Fatal(peer, err)
	}
	for range 2 {
		s.WriteTo([]byte("ping"), nil)
	}
	b := make([]byte, 9)
	for _, want := range []string{"pong", "late"} {
		if n, _, err := s.ReadFrom(b); string(b[:n]) != want || err != nil {
			t.Errorf("got %q, %v, want %q", b[:n], err, want)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzRecorder: a recorded trace is a script of the same bytes, however they are divided into events.
func FuzzRecorder(f *testing.F) {
	f.Add([]byte("220 ready\r\nUSER x\n\x00\x01\xff\r\n"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		var b strings.Builder
		r := dialogue.NewRecorder(&b)
		for rest := data; len(rest) > 0; {
			n := min(int(cut)+1, len(rest))
			r.Trace(fetch.Event{Conn: 5, Dir: fetch.FromServer, Data: rest[:n]})
			rest = rest[n:]
		}
		if err := r.Flush(); err != nil {
			t.Fatal(err)
		}
		s, err := dialogue.Parse(b.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if got := bytesOf(s, 1, 'S'); !bytes.Equal(got, data) {
			t.Fatalf("got %q, want %q, from\n%s", got, data, b.String())
		}
	})
}

func TestBriefShowsWhatAPersonReads(t *testing.T) {
	var b strings.Builder
	r := dialogue.NewRecorder(&b)
	r.Brief = true
	for _, e := range []fetch.Event{
		{Conn: 3, Dir: '*', Mark: fetch.MarkOpen, Note: "connected to 192.0.2.1:21"},
		{Dir: '*', Step: &fetch.Step{Verb: "RETR", Args: []string{"a b"}}},
		{Conn: 3, Dir: 'C', Data: []byte("RETR a b\r\n"), Text: true},
		{Conn: 4, Dir: 'S', Data: []byte{0, 1, 2}},
		{Dir: '*', Step: &fetch.Step{Verb: "search", Data: "x", At: "ldap.example:389"}},
		{Conn: 3, Dir: 'S', Data: []byte("226 \x1b[2Jdone\r\n"), Text: true},
		{Conn: 3, Dir: '*', Mark: fetch.MarkEnd, Note: "the peer closed the connection"},
	} {
		r.Trace(e)
	}
	r.Flush()
	want := "*: [connected to 192.0.2.1:21]\nC: RETR a b\n*: search \"x\" (to ldap.example:389)\nS: 226 \\x1b[2Jdone\n*: [end]\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
