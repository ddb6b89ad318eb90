package gophertest

import (
	"bufio"
	"io/fs"
	"strings"
	"testing"
)

// FuzzSelectors checks that no selector names a file outside the root, and that unquote is the inverse of quote.
func FuzzSelectors(f *testing.F) {
	f.Add("/../x")
	f.Add("a b#040%é\x01")
	s := &server{o: Options{Manner: Gophernicus}}
	f.Fuzz(func(t *testing.T, sel string) {
		if name := inFS(sel); strings.ToValidUTF8(sel, "") == sel && !fs.ValidPath(name) {
			t.Errorf("inFS(%q): got %q, want a valid path", sel, name)
		}
		if got := s.unquote(s.quote(sel)); got != sel && !strings.HasPrefix(sel, "URL:") {
			t.Errorf("got %q, want %q", got, sel)
		}
	})
}

// FuzzMaps checks that every item of a gophermap makes exactly one line with three TABs.
func FuzzMaps(f *testing.F) {
	f.Add("iinfo\n0x\ty\n1z\t\th\tp\n\t\t\t\t\n*\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := &server{fsys: files()}
		for _, it := range s.readMap("map", text) {
			l := s.line(it, "h", "70")
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
