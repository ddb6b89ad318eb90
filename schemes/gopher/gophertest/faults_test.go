package gophertest

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

func TestFaults(t *testing.T) {
	tests := []struct {
		name   string
		f      Faults
		want   string
		resets bool
	}{
		{"empty", Faults{Empty: true}, "", false},
		{"cut", Faults{CutAfter: 3}, "hel", false},
		{"cut after the end", Faults{CutAfter: 100}, "hello\r\n.\r\n", false},
		{"reset", Faults{CutAfter: 3, Reset: true}, "hel", true},
		{"empty and reset", Faults{Empty: true, Reset: true}, "", true},
		{"other answer", Faults{Reply: map[string]string{"/README.txt": "\x1b[31m"}}, "\x1b[31m", false},
		{"other answer to the whole line", Faults{Reply: map[string]string{"/README.txt\twords": "x"}}, "hello\r\n.\r\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Options{Faults: &tt.f}, func(t *testing.T, s *loopback.Server) {
				got, err := ask(t, s, "/README.txt\r\n")
				if got != tt.want || (err != nil) != tt.resets {
					t.Errorf("%q, %v; want %q", got, err, tt.want)
				}
			})
		})
	}
}

func TestStall(t *testing.T) {
	for want, f := range map[string]Faults{"hel": {StallAfter: 3}, "": {Stall: true}} {
		inBubble(t, Options{Faults: &f, Idle: 2 * time.Hour}, func(t *testing.T, s *loopback.Server) {
			c := dial(t, s)
			io.WriteString(c, "/README.txt\r\n")
			c.SetReadDeadline(time.Now().Add(time.Hour))
			b, err := io.ReadAll(c)
			if string(b) != want || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%q, %v; want %q and a timeout", b, err, want)
			}
		})
	}
}

func TestEndless(t *testing.T) {
	for _, f := range []Faults{{Endless: true}, {EndlessLine: true}} {
		c := dial(t, start(t, &Options{Faults: &f}))
		io.WriteString(c, "/README.txt\r\n")
		b := make([]byte, 100000)
		if _, err := io.ReadFull(c, b); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(b), "\n"); (lines == 0) != f.EndlessLine {
			t.Errorf("%+v: got %d lines, want none only for an endless line", f, lines)
		}
		c.Close()
	}
}

// FuzzSelectors checks that no selector names a file outside the root.
func FuzzSelectors(f *testing.F) {
	f.Add("/../x")
	f.Add("a b#040%é\x01")
	f.Fuzz(func(t *testing.T, sel string) {
		if name := inFS(sel); strings.ToValidUTF8(sel, "") == sel && !fs.ValidPath(name) {
			t.Errorf("inFS(%q): got %q, want a valid path", sel, name)
		}
	})
}

// FuzzMaps checks that every item of a gophermap makes exactly one line with three TABs.
func FuzzMaps(f *testing.F) {
	f.Add("iinfo\n0x\ty\n1z\t\th\tp\n\t\t\t\t\n*\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := &server{fsys: files()}
		for _, it := range s.readMap("map", text) {
			l := s.line(it, place{"h", "70"})
			if strings.Count(l, "\n") != 1 || strings.Count(l, "\t") != 3 || !strings.HasSuffix(l, "\r\n") {
				t.Errorf("%q: got %q, want one line with three TABs", text, l)
			}
		}
	})
}

// FuzzBlocks checks that a data block is parsed as lines without line ends, or is an error.
func FuzzBlocks(f *testing.F) {
	f.Add("+-1\r\na\r\n..b\r\n.\r\n")
	f.Add("+4\r\na\r\nb")
	f.Add("-1\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := readBlock(bufio.NewReader(strings.NewReader(text)))
		if err != nil && lines != nil {
			t.Errorf("%q: got %q and %v, want one of them", text, lines, err)
		}
		for _, l := range lines {
			if strings.Contains(l, "\n") {
				t.Errorf("%q: got %q, want no line ends", text, lines)
			}
		}
	})
}

func TestGopherPlus(t *testing.T) {
	const (
		admin = "+ADMIN:\r\n Admin: Keeper <gophertest@localhost>\r\n Mod-Date: Mon Mar  1 12:00:00 1993 <19930301120000>\r\n"
		info  = "+INFO: 0g.txt\t/views/g.txt\tHOST\tPORT\t+\r\n"
		views = "+VIEWS:\r\n text/plain: <1k>\r\n text/plain De_DE: <1k>\r\n text/html: <1k>\r\n"
		abstr = "+ABSTRACT:\r\n a greeting\r\n"
		de    = "+INFO: 0g.de.txt\t/views/g.de.txt\tHOST\tPORT\t+\r\n"
		html  = "+INFO: hg.html\t/views/g.html\tHOST\tPORT\t+\r\n"
		form  = "+ASK:\r\n Ask: name?\r\n AskL: words?\r\n Select: copy?\r\n"
	)
	plus := &Options{Plus: true}
	tests := []struct {
		o             *Options
		request, want string
	}{
		{plus, "/README.txt\t+", "+7\r\nhello\r\n"},
		{plus, "/dots.txt\t+", "+14\r\n.\r\na\r\n..\r\nlast"},
		{plus, "/bytes.bin\t+", "+5\r\n\x00\n.\n\xff"},
		{&Options{Plus: true, PlusEnd: -1}, "/dots.txt\t+", "+-1\r\n..\r\na\r\n...\r\nlast\r\n.\r\n"},
		{&Options{Plus: true, PlusEnd: -2}, "/README.txt\t+", "+-2\r\nhello\r\n"},
		{&Options{Plus: true, PlusEnd: -2}, "/bytes.bin\t+", "+-2\r\n\x00\n.\n\xff"},
		{plus, "/nothing\t+", "--1\r\n1 Keeper <gophertest@localhost>\r\n'/nothing' does not exist\r\n.\r\n"},
		{plus, "/views/g.txt\t+text/html", "+8\r\n<p>good\n"},
		{plus, "/views/g.txt\t+text/plain De_DE", "+5\r\ngut\r\n"},
		{plus, "/views/g.txt\t+text/plain", "+6\r\ngood\r\n"},
		{plus, "/views/g.txt\t+image/gif", "--1\r\n1 Keeper <gophertest@localhost>\r\nthere is no view image/gif\r\n.\r\n"},
		{plus, "/a b\t+", "+N\r\n0c#d.txt\t/a b/c#d.txt\tHOST\tPORT\t+\r\n"},
		{plus, "/views/g.txt\t!", "+-1\r\n" + info + admin + views + abstr + ".\r\n"},
		{plus, "/views/g.txt\t!+ABSTRACT", "+-1\r\n" + info + abstr + ".\r\n"},
		{plus, "/views/g.txt\t!+VIEWS+ABSTRACT", "+-1\r\n" + info + views + abstr + ".\r\n"},
		{plus, "/views\t$+ABSTRACT", "+-1\r\n" + de + html + info + abstr + ".\r\n"},
		{plus, "/README.txt\t$", "--1\r\n1 Keeper <gophertest@localhost>\r\n'/README.txt' is not a menu\r\n.\r\n"},
		{plus, "/forms/visit.ask\t!+ASK", "+-1\r\n+INFO: 0visit.ask\t/forms/visit.ask\tHOST\tPORT\t?\r\n" + form + ".\r\n"},
		{plus, "/forms/visit.ask\t+\t1\r\n+-1\r\nTim\r\n2\r\none\r\n..two\r\n1\r\n.", "+23\r\nTim said one\r\n.two, 1\r\n"},
		{plus, "/forms/visit.ask\t+\t1\r\n+12\r\nTim\r\n1\r\nx\r\n0", "+15\r\nTim said x, 0\r\n"},
		{plus, "/forms/visit.ask\t+\t1\r\n+-1\r\nTim\r\n.",
			"--1\r\n2 Keeper <gophertest@localhost>\r\nthere are fewer answers than questions\r\n.\r\n"},
		{plus, "/forms/visit.ask\t+\t1\r\n+-1\r\nTim\r\nno\r\n.",
			"--1\r\n2 Keeper <gophertest@localhost>\r\nAskL needs the number of its lines\r\n.\r\n"},
		{plus, "/forms/visit.ask\t+\t1\r\n+99999999\r\n",
			"--1\r\n2 Keeper <gophertest@localhost>\r\nthe answers were not understood: the length of the block is wrong\r\n.\r\n"},
		{plus, "/a b\t!+VIEWS", "+-1\r\n+INFO: 1a b\t/a b\tHOST\tPORT\t+\r\n+VIEWS:\r\n application/gopher+-menu:\r\n.\r\n"},
		{plus, "/search\tzero\t+", "+N\r\n00\t/0\tHOST\tPORT\t+\r\n"},
		{nil, "/README.txt\t+", "hello\r\n.\r\n"}, // a server without Gopher+ treats it as words
	}
	for _, tt := range tests {
		s := start(t, tt.o)
		got, err := ask(t, s, tt.request+"\r\n")
		if want := expand(tt.want, s); got != want || err != nil {
			t.Errorf("%q:\n%q, %v, want\n%q", tt.request, got, err, want)
		}
	}
}

// expand inserts the server's address, and for "+N" the length of the response, which depends on the address.
func expand(want string, s *loopback.Server) string {
	host, port, _ := net.SplitHostPort(s.Addr)
	want = strings.ReplaceAll(want, "\tHOST\tPORT", "\t"+host+"\t"+port)
	if rest, ok := strings.CutPrefix(want, "+N\r\n"); ok {
		return "+" + strconv.Itoa(len(rest)) + "\r\n" + rest
	}
	return want
}
