package render

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// artDocument returns a document of the given name.
func artDocument(name, mediaType, data string) *fetch.Document {
	d := document(mediaType, data)
	d.URI = uri.MustParse("ftp://h/" + name)
	return d
}

const (
	boxes  = "\xc9\xcd\xbb\r\n\xc8\xcd\xbc\r\n" // a box in code page 437
	unpack = "╔═╗\n╚═╝\n"
)

// record returns a SAUCE record for a file of a number of columns, in a font.
func record(columns byte, font string) string {
	r := make([]byte, 128)
	copy(r, "SAUCE00Lake")
	copy(r[42:], "somebody")
	r[94], r[95], r[96] = 1, 1, columns
	copy(r[106:], font)
	return "\x1a" + string(r)
}

func TestArtAsText(t *testing.T) {
	for _, c := range []struct{ name, mediaType, data, want string }{
		{"a.nfo", "", boxes, unpack},
		{"A.NFO", "application/octet-stream", boxes, unpack},
		{"file_id.diz", "text/plain", boxes, unpack},
		{"a.nfo", "text/plain; charset=windows-1252", "caf\xe9\n", "café\n"},
		{"a.nfo", "text/plain", "café ╔\n", "café ╔\n"},
		{"a.nfo", "text/plain; charset=ibm866", "\x8f\xe0\n", "Пр\n"},
		{"a.ans", "", "\x1b[2J\x1b[1;31m\xdb\xdb\x1b[3C\xdc", "██   ▄\n"},
		{"a.ans", "", "ab" + record(80, "IBM VGA"), "ab\n\nLake, somebody\n"},
		{"a.ans", "", strings.Repeat("x", 84), strings.Repeat("x", 80) + "\nxxxx\n"},
		{"a.ans", "", strings.Repeat("x", 84) + record(84, ""), strings.Repeat("x", 84) + "\n\nLake, somebody\n"},
		{"a.ans", "", "\xe9\xa9" + record(80, "Amiga Topaz 1"), "é©\n\nLake, somebody\n"},
		{"a.ans", "", "\x8f\xe0" + record(80, "IBM VGA 866"), "Пр\n\nLake, somebody\n"},
		{"a.ans", "", "\x1b[31m┌─┐漢\n", "┌─┐漢\n"},                               // a modern one in UTF-8
		{"bbs.txt", "text/plain", "\x1b[0;1m\xda\xc4\xc4\xc4\xbf\n", "┌───┐\n"}, // a text of a bulletin board
		{"x.txt", "text/plain", "\x1b[1mbold\n", "\x1b[1mbold\n"},               // no old charset: the source of something
		{"x.txt", "text/plain", "\x1b[1mcaf\xe9\n", "\x1b[1mcafé\n"},
		{"x.txt", "text/plain", "caf\xe9\n", "café\n"},
		{"a.nfo", "text/html; charset=utf-8", "<p>\n", "<p>\n"},
	} {
		if got := view(t, artDocument(c.name, c.mediaType, c.data), Text, nil); got != c.want {
			t.Errorf("%s %s %q: got %q, want %q", c.name, c.mediaType, c.data, got, c.want)
		}
	}
}

// A terminal gets colors of text art, and no other control sequence.
func TestPromise9ArtOnATerminal(t *testing.T) {
	const evil = "\x1b[1;31mred\x1b[0m \x1b[44mblue\x1b[0m\x1b]0;title\x07\x1b[6n\x1b[5mblink\x1b[?25l\u009b31m\x1bc\x1b[31;5;8m"
	d := func() *fetch.Document { return artDocument("a.ans", "", evil) }
	got := view(t, d(), Text, &Options{Terminal: true, Color: true})
	const want = "\x1b[0;91mred\x1b[0m \x1b[0;44mblue\x1b[0m←]0;title•blink\ufffd31m←c\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := view(t, d(), Text, &Options{Terminal: true}), "red blue←]0;title•blink\ufffd31m←c\n"; got != want {
		t.Errorf("without colors: got %q, want %q", got, want)
	}
}

func TestArtAsHTML(t *testing.T) {
	got := view(t, artDocument("a.ans", "", "\x1b[1;31;44m<\xdb>\x1b[0m &\r\n"+record(80, "")), HTML, &Options{Inner: true})
	const want = "<pre class=\"art\" lang=\"\">\n<span class=\"f9 b4\">&lt;█&gt;</span> &amp;\n</pre>\n<p class=\"facts\">Lake, somebody</p>\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A file that is longer than what is searched for the record is drawn to its end.
func TestLongArt(t *testing.T) {
	const rows = maxArt / 4
	d := artDocument("a.ans", "", strings.Repeat("\xdb\xdb\xdb\r\n", rows))
	var lines lineCounter
	if err := View(&lines, d, Text, nil); err != nil || lines != rows {
		t.Errorf("got %d lines, %v, want %d", lines, err, rows)
	}
}

// A lineCounter counts lines.
type lineCounter int

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(strings.Count(string(p), "\n"))
	return len(p), nil
}

// Whether a text is art does not depend on how the network splits it, and what has arrived before an error is drawn.
func TestArtInPieces(t *testing.T) {
	for name, text := range map[string]string{
		"bbs.txt": "\r\nhello \x1b[0;1m" + strings.Repeat(" ", 100) + "\xda\xc4\xc4\xc4\xbf\r\n", "late.txt": "plain\r\n\x1b[1m\xc4\xc4\xc4\r\n", "a.nfo": boxes, "x.txt": "caf\xe9\r\n", "y.txt": strings.Repeat("y\n", 400),
	} {
		want := view(t, artDocument(name, "text/plain", text), Text, nil)
		d := artDocument(name, "text/plain", "")
		d.Body = io.NopCloser(iotest.OneByteReader(strings.NewReader(text)))
		if got := view(t, d, Text, nil); got != want {
			t.Errorf("%s byte by byte: got %q, want %q", name, got, want)
		}
		broken := errors.New("broken")
		d.Body = io.NopCloser(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
		var b strings.Builder
		if err := View(&b, d, Text, nil); !errors.Is(err, broken) || b.String() != want {
			t.Errorf("%s before an error: got %q, %v, want %q", name, b.String(), err, want)
		}
	}
}

// What is not art is read from its beginning.
func TestNotArt(t *testing.T) {
	d := artDocument("a.asc", "text/plain", "-----BEGIN PGP MESSAGE-----\n")
	if a := artOf(d); a != nil {
		t.Fatalf("got %v, want no art", a)
	}
	if b, err := io.ReadAll(d.Body); err != nil || string(b) != "-----BEGIN PGP MESSAGE-----\n" {
		t.Errorf("got %q, %v, want all of the text", b, err)
	}
}
