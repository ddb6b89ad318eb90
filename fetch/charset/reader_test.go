package charset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// read reads a text in one of several ways. All return the same.
func read(t *testing.T, s Source, octets string) (text, found string) {
	t.Helper()
	ways := []func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r },
		iotest.OneByteReader,
		iotest.DataErrReader,
		func(r io.Reader) io.Reader { return &parts{r, 3} },
		func(r io.Reader) io.Reader { return &parts{r, 1000} },
	}
	if testing.Short() {
		ways = ways[2:4]
	}
	for i, way := range ways {
		r := s.NewReader(way(strings.NewReader(octets)))
		b, err := io.ReadAll(r)
		label, how := r.Charset()
		got := fmt.Sprintf("%s, %s", label, how)
		switch {
		case err != nil:
			t.Errorf("%v, way %d: %v", s, i, err)
		case i == 0:
			text, found = string(b), got
		case string(b) != text || got != found:
			t.Errorf("%v: way %d: got %.60q, %s, want %.60q, %s", s, i, b, got, text, found)
		}
	}
	return text, found
}

// parts returns n bytes at a time.
type parts struct {
	r io.Reader
	n int
}

func (p *parts) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

// However a text arrives, it is read as Detect has it.
func TestReaderGuesses(t *testing.T) {
	t.Parallel()
	wrong := misread(t)
	for i, s := range samples(t) {
		for j, label := range s.in {
			if (i+j)%12 > 0 || wrong[label+": "+s.line] { // some of them show it
				continue
			}
			for _, before := range []string{"", "The first line is in ASCII only.\n"} {
				if before != "" && strings.HasPrefix(label, "utf-16") {
					continue
				}
				if got, found := read(t, Source{Type: "text/plain"}, before+encoded(t, label, s.text)); got != before+s.text {
					t.Errorf("%s: got %.60q by %s, want %.60q", label, got, found, before+s.text)
				}
			}
		}
	}
}

func TestReader(t *testing.T) {
	const cyrillic = "\xf0\xf2\xe9\xf7\xe5\xf4" // ПРИВЕТ in KOI8-R
	filler := "<!DOCTYPE html><html><head><title>" + strings.Repeat("x", 2000) + "</title>"
	for _, c := range []struct{ chosen, kind, octets, text, found string }{
		{"", "text/plain; charset=koi8-r", cyrillic, "ПРИВЕТ", "koi8-r, media type"},
		{"cp1251", "text/plain; charset=koi8-r", cyrillic, "ртйчеф", "cp1251, chosen"},
		{"koi8-r", "text/plain", "\xef\xbb\xbf", "О╩©", "koi8-r, chosen"},
		{"utf-8", "text/plain; charset=koi8-r", "\xef\xbb\xbfa", "a", "utf-8, chosen"},
		{"utf-8", "text/plain", "", "", "utf-8, chosen"},
		{"utf-16", "text/plain", "\xfe\xff\x00h", "h", "utf-16, chosen"},
		{"", "text/plain; charset=koi8-r", "\xef\xbb\xbfПривет", "Привет", "utf-8, byte order mark"},
		{"", "text/plain", "\xff\xfeh\x00", "h", "utf-16le, byte order mark"},
		{"", "text/plain", "\xff\xfe\x00\x00h\x00\x00\x00", "h", "utf-32, byte order mark"},
		{"", "text/html", "\xff\xfe\x00\x00h\x00", "\x00h", "utf-16le, byte order mark"},
		{"", "text/plain; charset = 'koi8-r'", cyrillic, "ПРИВЕТ", "koi8-r, media type"},
		{"", "text/plain; charset='koi8-r'", cyrillic, "ПРИВЕТ", "koi8-r, media type"},
		{"", `text/plain; x="charset=koi8-u"; charset="koi8-r"`, cyrillic, "ПРИВЕТ", "koi8-r, media type"},
		{"", "text/plain; charset=utf-16", "h\x00i\x00", "hi", "utf-16, media type"},
		{"", "text/html; charset=utf-16", "h\x00i\x00", "hi", "utf-16, media type"},
		{"", "text/plain; charset=utf-16be", "\x00h\x00i", "hi", "utf-16be, media type"},
		{"", "text/plain; charset=utf-7", "+ZeVnLIqe-", "日本語", "utf-7, media type"},
		{"", "text/html; charset=utf-7", "+ZeVnLIqe-", "+ZeVnLIqe-", ", "},
		{"", "text/html; charset=x-none", "<meta charset=koi8-r>" + cyrillic, "<meta charset=koi8-r>ПРИВЕТ", "koi8-r, declaration"},
		{"", "text/html; charset=us-ascii", "caf\xe9", "café", "us-ascii, media type"},
		{"", "text/plain; charset=us-ascii", "caf\xc3\xa9", "café", "utf-8, guess"},
		{"", "text/plain; charset=unknown-8bit", "caf\xe9", "café", "windows-1252, guess"},
		{"", "text/html", "<!--<meta charset=koi8-u>--><meta charset=koi8-r>" + cyrillic, "<!--<meta charset=koi8-u>--><meta charset=koi8-r>ПРИВЕТ", "koi8-r, declaration"},
		{"", "text/html", "<meta charset=utf-16>ä", "<meta charset=utf-16>ä", "utf-8, declaration"},
		{"", "text/html", "<?xml version='1.0' encoding='koi8-r'?>" + cyrillic, "<?xml version='1.0' encoding='koi8-r'?>ПРИВЕТ", "koi8-r, declaration"},
		{"", "text/html", "<?xml encoding='koi8-u'?><meta charset=koi8-r>" + cyrillic, "<?xml encoding='koi8-u'?><meta charset=koi8-r>ПРИВЕТ", "koi8-r, declaration"},
		{"", "application/xhtml+xml", "<?xml encoding='koi8-r'?><meta charset=koi8-u>" + cyrillic, "<?xml encoding='koi8-r'?><meta charset=koi8-u>ПРИВЕТ", "koi8-r, declaration"},
		{"", "application/rss+xml", "<?xml version=\"1.0\"\n encoding = \"windows-1251\" ?><a>\xcf</a>", "<?xml version=\"1.0\"\n encoding = \"windows-1251\" ?><a>П</a>", "windows-1251, declaration"},
		{"", "text/xml", "<?xml encoding='utf-16'?>ä", "<?xml encoding='utf-16'?>ä", "utf-8, declaration"},
		{"", "text/xml", "<?xml encoding='UCS-2'?>ä", "<?xml encoding='UCS-2'?>ä", "utf-8, declaration"},
		{"", "text/xml", "<a><?xml encoding='koi8-r'?>ä", "<a><?xml encoding='koi8-r'?>ä", "utf-8, guess"},
		{"", "text/html", filler + "<meta charset=koi8-r></head>" + cyrillic, filler + "<meta charset=koi8-r></head>ПРИВЕТ", "koi8-r, declaration"},
		{"", "text/html", filler + "</head><meta charset=koi8-r>" + "caf\xe9 " + strings.Repeat("y", 5000), filler + "</head><meta charset=koi8-r>café " + strings.Repeat("y", 5000), "windows-1252, guess"},
		{"", "text/html", "<p>Plain", "<p>Plain", ", "},
		{"", "text/plain", "abc\x00\ndef\x00\n", "abc\x00\ndef\x00\n", ", "},
		{"", "text/plain", "\x1b[1mbold\x1b(B\x1b[m ~{ }", "\x1b[1mbold\x1b(B\x1b[m ~{ }", ", "},
		{"", "text/plain", "ends with \x1b", "ends with \x1b", ", "},
		{"", "text/plain", "~{VPND~} news", "中文 news", "hz-gb-2312, guess"},
		{"", "text/plain", "~{~} is empty", "~{~} is empty", ", "},
		{"", "", "", "", ", "},
	} {
		if got, found := read(t, Source{Chosen: c.chosen, Type: c.kind}, c.octets); got != c.text || found != c.found {
			t.Errorf("%q %q %.80q: got %.80q, %s, want %.80q, %s", c.chosen, c.kind, c.octets, got, found, c.text, c.found)
		}
	}
}

// One charset is used for the whole text, whatever follows the part that decides.
func TestReaderDecidesOnce(t *testing.T) {
	greeting := strings.Repeat("Привет, мир! ", 400)
	octets := encoded(t, "koi8-r", greeting)
	if len(octets) < window {
		t.Fatalf("got %d bytes, want more than the window", len(octets))
	}
	got, found := read(t, Source{}, octets+"Ü")
	if want := greeting + "ц°"; got != want {
		t.Errorf("got %q at the end by %s, want %q", got[len(got)-8:], found, want[len(want)-8:])
	}
	valid := strings.Repeat("ä", 40)
	if got, found := read(t, Source{}, valid+"\xe9"); got != valid+"\xe9" {
		t.Errorf("got %q by %s, want the invalid byte unchanged", got[len(got)-4:], found)
	}
}

// ASCII is passed on before the text ends, and so is UTF-8 once it is certain.
func TestReaderStreams(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	defer in.Close()
	r := Source{Type: "text/plain"}.NewReader(in)
	buf := make([]byte, 1000)
	for _, c := range []struct{ sent, want string }{{"first line\n ", "first line\n "}, {"more", "more"}, {strings.Repeat("ü", 16), strings.Repeat("ü", 16)}, {"ü", "ü"}} {
		go out.Write([]byte(c.sent))
		n, err := io.ReadFull(r, buf[:len(c.want)])
		if string(buf[:n]) != c.want || err != nil {
			t.Errorf("got %q, %v, want %q", buf[:n], err, c.want)
		}
	}
}

// A failure of the source comes after what was read before it.
func TestReaderFails(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct{ octets, want string }{{"", ""}, {"abc", "abc"}, {"caf\xe9", "café"}, {"<meta charset=koi8-r>\xf0", "<meta charset=koi8-r>П"}} {
		r := Source{Type: "text/html"}.NewReader(io.MultiReader(strings.NewReader(c.octets), iotest.ErrReader(broken)))
		if got, err := io.ReadAll(r); string(got) != c.want || !errors.Is(err, broken) {
			t.Errorf("%q: got %q, %v, want %q, %v", c.octets, got, err, c.want, broken)
		}
	}
}

// A text without end is read in bounded memory.
func TestReaderHoldsBack(t *testing.T) {
	r := Source{}.NewReader(io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("\xcf "), 1<<20))))
	buf := make([]byte, 32<<10)
	for {
		if _, err := r.Read(buf); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(r.in.Held) > 2*window {
			t.Fatalf("got %d bytes held back, want at most %d", len(r.in.Held), 2*window)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add("text/html", []byte("<meta charset=koi8-r>\xf0"))
	f.Add("text/plain", []byte("\x1b$B\x93\xfa~{\x00"))
	f.Fuzz(func(t *testing.T, kind string, octets []byte) {
		read(t, Source{Type: kind}, string(octets))
		TextAmong(string(octets), "koi8-r")
		Value(string(octets))
	})
}
