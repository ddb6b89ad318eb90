package gophertest

import (
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/testdata"
)

func TestCurl(t *testing.T) {
	tests := []struct {
		o          *Options
		path, want string
	}{
		{nil, "/9/images/bytes.bin", site(t, "images/bytes.bin")},
		{nil, "/I/images/stripes.png", site(t, "images/stripes.png")},
		{nil, "/0/names/a%20folder/b%20folder/c%20d.txt", "I am the file \"a folder/b folder/c d.txt\".\r\n.\r\n"},
		{nil, "/00", ".\r\n"}, // no such file in the root: see below
		{nil, "/0names/0", "I am the file \"0\".\r\n.\r\n"},
		{nil, "/7/search%09mainframes", "0history/telnet.txt\t/history/telnet.txt\tHOST\t70\r\n.\r\n"},
	}
	for _, tt := range tests {
		o := Options{}
		if tt.o != nil {
			o = *tt.o
		}
		o.Host, o.Port = "HOST", 70
		s := NewServer(testdata.Site(), &o)
		got, err := lab.Run(t, "curl", "-sS", s.URL+tt.path)
		if tt.path == "/00" {
			tt.want = "3'0' does not exist\t\terror.host\t1\r\n.\r\n"
		}
		if got != tt.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", tt.path, got, err, tt.want)
		}
		s.Close()
	}
}

// TestLynxFollows a menu to a document of the site.
func TestLynxFollows(t *testing.T) {
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	menu, err := lab.Run(t, "lynx", "-dump", s.URL+"/1/names")
	if !strings.Contains(menu, "with blank.txt") || !strings.Contains(menu, s.URL+"/0/names/with blank.txt") || err != nil {
		t.Errorf("got %q, %v, want a menu with a link to names/with blank.txt", menu, err)
	}
	text, err := lab.Run(t, "lynx", "-dump", s.URL+"/0/texts/dots.txt")
	if !strings.Contains(text, ".hidden words") || err != nil {
		t.Errorf("got %q, %v, want \".hidden words\"", text, err)
	}
}

// TestW3m shows a menu and a document.
func TestW3m(t *testing.T) {
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	for path, want := range map[string]string{"/1/history": "A page for each scheme, written for this site.", "/0/texts/dots.txt": ".hidden words"} {
		if out, err := lab.Run(t, "w3m", "-dump", s.URL+path); !strings.Contains(out, want) || err != nil {
			t.Errorf("%s: %q, %v; want %q", path, out, err, want)
		}
	}
}

// TestGopher shows a menu and a document in a terminal. The client of the University of Minnesota begins with Gopher+ unless it gets a
// selector.
func TestGopher(t *testing.T) {
	for _, tt := range []struct {
		o           Options
		args, steps []string
		want        string // the last request
	}{
		{Options{}, []string{"-p", "/history"}, []string{"A page for each scheme", "\r", "In March 1989", "qqy"}, "/history/00-names.txt"},
		{Options{Plus: true}, nil, []string{"About this tree", "\r", "This small tree is served", "qqy"}, "/README.txt\t+text/plain"},
	} {
		s := NewServer(testdata.Site(), &tt.o)
		host, port, _ := strings.Cut(s.Addr, ":")
		lab.Talk(t, lab.Terminal(t, "gopher", append(tt.args, host, port)...), append([]string{"Press RETURN", "\r"}, tt.steps...)...)
		if got := s.Transcript(); len(got) < 2 || got[len(got)-1] != tt.want {
			t.Errorf("the server received %q, want %q at the end", got, tt.want)
		}
		s.Close()
	}
}

// TestBombadillo shows a menu and a document in a terminal.
func TestBombadillo(t *testing.T) {
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	lab.Talk(t, lab.Terminal(t, "bombadillo", s.URL+"/1/history"), "gopher.txt", "q")
	lab.Talk(t, lab.Terminal(t, "bombadillo", s.URL+"/0/history/ftp.txt"), "The oldest of the schemes' protocols", "q")
}
