package gophertest

import (
	"bytes"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/testdata"
)

// run runs a client that nobody here wrote, and gives its output.
func run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	cmd := lab.Client(t, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Logf("%s %q: %v: %s", name, args, err, stderr.String())
	}
	return string(out), err
}

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
		{&Options{Manner: Pygopherd}, "/0/texts/mixed.txt", site(t, "texts/mixed.txt")},
		{&Options{Manner: Gophernicus}, "/0/names/with%20blank.txt", "I am the file \"with blank.txt\".\r\n"},
	}
	for _, tt := range tests {
		o := Options{}
		if tt.o != nil {
			o = *tt.o
		}
		o.Host, o.Port = "HOST", 70
		s := NewServer(testdata.Site(), &o)
		got, err := run(t, "curl", "-sS", s.URL+tt.path)
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
	menu, err := run(t, "lynx", "-dump", s.URL+"/1/names")
	if !strings.Contains(menu, "with blank.txt") || !strings.Contains(menu, s.URL+"/0/names/with blank.txt") || err != nil {
		t.Errorf("%q, %v", menu, err)
	}
	text, err := run(t, "lynx", "-dump", s.URL+"/0/texts/dots.txt")
	if !strings.Contains(text, ".hidden words") || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
