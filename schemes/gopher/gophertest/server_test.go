package gophertest

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

func TestDocuments(t *testing.T) {
	tests := []struct{ selector, want string }{
		{"/README.txt", "hello\r\n.\r\n"},
		{"README.txt", "hello\r\n.\r\n"}, // no slash before it: both servers accept that
		{"0", "zero\r\n.\r\n"},           // gopher://h/00
		{"/dots.txt", "..\r\na\r\n...\r\nlast\r\n.\r\n"},
		{"/crlf.txt", "a\r\nb\r\n.\r\n"},
		{"/empty.txt", ".\r\n"},
		{"/bytes.bin", "\x00\n.\n\xff"},
		{"/nul", "a\x00b"},
		{"/latin1.txt", "Gen\xe8ve\r\n.\r\n"},
		{"/a b/c#d.txt", "odd words\r\n.\r\n"},
		{"/../../README.txt", "hello\r\n.\r\n"}, // the parent of the root is the root
		{"/nothing", "3'/nothing' does not exist\t\terror.host\t1\r\n.\r\n"},
		{"/nothing/", "3'/nothing/' does not exist\t\terror.host\t1\r\n.\r\n"},
	}
	s := start(t, nil)
	for _, tt := range tests {
		if got := get(t, s, tt.selector); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.selector, got, tt.want)
		}
	}
}

func TestMenus(t *testing.T) {
	info := func(s string) string { return "i" + s + "\t\tnull.host\t1\r\n" }
	tests := []struct{ selector, want string }{
		{"/map", info("Title") + info("text") +
			"0A file\t/map/readme\tHOST\tPORT\r\n1Up\t/\tHOST\tPORT\r\n1Other\t/x\tother.example\t70\r\n" +
			"7Find\t/find\tother.example\t7070\r\nhWeb\tURL:http://h/\tHOST\tPORT\r\n" +
			"0readme\t/map/readme\tHOST\tPORT\r\n0shown.txt\t/map/shown.txt\tHOST\tPORT\r\n.\r\n"},
		{"/dot/", info("one") + ".\r\n"},
		{"/void", ".\r\n"},
		{"/views",
			"0g.de.txt\t/views/g.de.txt\tHOST\tPORT\r\nhg.html\t/views/g.html\tHOST\tPORT\r\n0g.txt\t/views/g.txt\tHOST\tPORT\r\n.\r\n"},
	}
	for _, tt := range tests {
		if got := get(t, start(t, nil), tt.selector); got != tt.want {
			t.Errorf("%q:\n%q, want\n%q", tt.selector, got, tt.want)
		}
	}
	root := get(t, start(t, &Options{Host: "gopher.example", Port: 70}), "")
	if !strings.Contains(root, "0README.txt\t/README.txt\tgopher.example\t70\r\n") || strings.Contains(root, "hidden") {
		t.Errorf("got %q, want README.txt at gopher.example, and no hidden file", root)
	}
}

func TestItemTypes(t *testing.T) {
	root := get(t, start(t, nil), "/")
	for _, want := range []string{"00\t/0\t", "0README.txt\t", "9bytes.bin\t", "0noext\t", "9nul\t", "1a b\t", "0latin1.txt\t"} {
		if !strings.Contains("\r\n"+root, "\r\n"+want) {
			t.Errorf("%q has no %q", root, want)
		}
	}
}

func TestSearch(t *testing.T) {
	tests := []struct{ words, want string }{
		{"words", "0a b/c#d.txt 0forms/visit.ask 0noext"},
		{"ODD words", "0a b/c#d.txt"},
		{"readme", "0README.txt 0map/readme"},
		{"a b", "1a b 0crlf.txt 0map/readme"}, // all words, in names and texts
		{"hidden", ""},
		{"", ""},
	}
	s := start(t, nil)
	for _, tt := range tests {
		var found []string
		for l := range strings.Lines(get(t, s, "/search\t"+tt.words)) {
			if name, _, ok := strings.Cut(l, "\t"); ok {
				found = append(found, name)
			}
		}
		if tt.words == "a b" { // too many results to list: they must at least contain the directory
			if !slices.Contains(found, "1a b") {
				t.Errorf("%q: got %q, want the directory \"a b\" in it", tt.words, found)
			}
			continue
		}
		if got := strings.Join(found, " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.words, got, tt.want)
		}
	}
	want := "00\t/0\tHOST\tPORT\r\n.\r\n"
	if got := get(t, start(t, &Options{Search: "/find"}), "find\tzero"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRequestLines(t *testing.T) {
	tests := []struct {
		line string
		plus bool
		want request
	}{
		{"/x\r\n", true, request{line: "/x", selector: "/x"}},
		{"/x\n", true, request{line: "/x", selector: "/x"}},
		{"", true, request{}},
		{"/s\ttwo words\r\n", true, request{line: "/s\ttwo words", selector: "/s", words: "two words"}},
		{"/x\t+\r\n", true, request{line: "/x\t+", selector: "/x", plus: "+"}},
		{"/x\t+text/plain\t1\r\n", true, request{line: "/x\t+text/plain\t1", selector: "/x", plus: "+text/plain", data: true}},
		{"/s\tw\t+\r\n", true, request{line: "/s\tw\t+", selector: "/s", words: "w", plus: "+"}},
		{"/x\t!\r\n", true, request{line: "/x\t!", selector: "/x", plus: "!"}},
		{"/s\t$PATH\r\n", false, request{line: "/s\t$PATH", selector: "/s", words: "$PATH"}}, // no Gopher+: words
	}
	for _, tt := range tests {
		if got := parse(tt.line, tt.plus); got != tt.want {
			t.Errorf("%q: %+v, want %+v", tt.line, got, tt.want)
		}
	}
}

func TestWebPageForURLSelectors(t *testing.T) {
	got := get(t, start(t, nil), "URL:http://h/?a&\"b")
	if !strings.Contains(got, `href="http://h/?a&amp;&quot;b"`) || !strings.HasPrefix(got, "<!DOCTYPE html>") {
		t.Errorf("got %q, want a page with a link to http://h/", got)
	}
}

func TestTranscript(t *testing.T) {
	s := start(t, nil)
	get(t, s, "/README.txt")
	get(t, s, "/search\tzero")
	if got := s.Transcript(); !slices.Equal(got, []string{"/README.txt", "/search\tzero"}) || s.Sessions() != 2 {
		t.Errorf("got the requests %q over %d connections, want two over 2", got, s.Sessions())
	}
}

// TestHalfCloseAfterTheRequest checks that the response is not lost, and that bytes after the line do not cause a RST.
func TestHalfCloseAfterTheRequest(t *testing.T) {
	s := start(t, nil)
	c := dial(t, s).(*net.TCPConn)
	io.WriteString(c, "/README.txt\r\nmore\r\n")
	c.CloseWrite()
	if b, err := io.ReadAll(c); string(b) != "hello\r\n.\r\n" || err != nil {
		t.Errorf("got %q, %v, want %q", b, err, "hello\r\n.\r\n")
	}
}

func TestSilentAndEndlessClients(t *testing.T) {
	inBubble(t, Options{Idle: 30 * time.Second}, func(t *testing.T, s *loopback.Server) {
		began := time.Now()
		if b, _ := io.ReadAll(dial(t, s)); len(b) != 0 || time.Since(began) != 30*time.Second {
			t.Errorf("a silent client: got %q after %s, want nothing after 30s", b, time.Since(began))
		}
		if got, _ := ask(t, s, strings.Repeat("x", 2*maxRequest)); got != "" {
			t.Errorf("an endless line: got %q, want nothing", got)
		}
		get(t, s, "/README.txt")
	})
}

func TestTLS(t *testing.T) {
	s := start(t, &Options{SelfSigned: true})
	if !strings.HasPrefix(s.URL, "gophers://127.0.0.1:") {
		t.Errorf("got %s, want a gophers URL", s.URL)
	}
	if got := get(t, s, "/README.txt"); got != "hello\r\n.\r\n" {
		t.Errorf("got %q, want %q", got, "hello\r\n.\r\n")
	}
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	io.WriteString(c, "/README.txt\r\n")
	if b, _ := io.ReadAll(c); strings.Contains(string(b), "hello") {
		t.Errorf("without TLS: got %q, want no document", b)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	s := start(t, &Options{Faults: &Faults{StallAfter: 2}})
	silent, stalled := dial(t, s), dial(t, s)
	io.WriteString(stalled, "/README.txt\r\n")
	io.ReadFull(stalled, make([]byte, 2))
	s.Close()
	s.Close()
	for _, c := range []net.Conn{silent, stalled} {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("got an open connection, want a closed one")
		}
	}
}

// TestNamesThatNoLineHolds checks names that would add items to a menu.
func TestNamesThatNoLineHolds(t *testing.T) {
	fsys := files()
	fsys["lines/a\tb"], fsys["lines/c\r\n0d"], fsys["lines/e"] = fsys["0"], fsys["0"], fsys["0"]
	s := NewServer(fsys, nil)
	defer s.Close()
	if got, want := get(t, s, "/lines"), "0e\t/lines/e\tHOST\tPORT\r\n.\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
