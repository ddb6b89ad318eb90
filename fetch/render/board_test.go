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

func TestBoardText(t *testing.T) {
	const boxes, drawn = "\xc9\xcd\xbb\r\n\xc8\xcd\xbc\r\n", "╔═╗\r\n╚═╝\r\n"
	broken := errors.New("broken")
	for _, c := range []struct{ name, mediaType, data, want string }{
		{"a.nfo", "", boxes, drawn},
		{"A.NFO", "application/octet-stream", boxes, drawn},
		{"file_id.diz", "text/plain", boxes, drawn},
		{"x", "text/x-ansi", boxes, drawn},
		{"a.nfo", "text/plain; charset=windows-1252", "caf\xe9\n", "café\n"},
		{"a.nfo", "text/plain", "café ╔\n", "café ╔\n"},
		{"a.nfo", "text/plain; charset=ibm866", "\x8f\xe0\n", "Пр\n"},
		{"a.ans", "", "\x1b[2J\x1b[1;31m\xdb\xdb\x1b[3C\xdc\x1b[", "██▄"},
		{"a.ans", "", "ab\x1aSAUCE00Lake", "ab"},
		{"a.ans", "", "\x1b[31m┌─┐漢\x1b[31\n", "┌─┐漢\n"}, // a modern one, and an unfinished sequence
		{"x.txt", "text/plain", "\x1b[1mbold\n", "\x1b[1mbold\n"},
		{"x.txt", "text/plain", "caf\xe9\n", "café\n"},
		{"a.nfo", "text/html; charset=utf-8", "<p>\n", "<p>\n"},
	} {
		d := &fetch.Document{URI: uri.MustParse("ftp://h/" + c.name), Type: c.mediaType}
		for _, in := range []io.Reader{strings.NewReader(c.data), iotest.OneByteReader(strings.NewReader(c.data))} {
			d.Body = io.NopCloser(in)
			if got := view(t, d, Text, nil); got != c.want {
				t.Errorf("%s %s %q: got %q, want %q", c.name, c.mediaType, c.data, got, c.want)
			}
		}
		if strings.HasSuffix(c.data, "\n") {
			d.Body = io.NopCloser(io.MultiReader(strings.NewReader(c.data), iotest.ErrReader(broken)))
			var b strings.Builder
			if err := View(&b, d, Text, nil); !errors.Is(err, broken) || b.String() != c.want {
				t.Errorf("%s before an error: got %q, %v, want %q", c.name, b.String(), err, c.want)
			}
		}
	}
}

// A terminal gets no control sequence of a text, also if it is not one that is left out.
func TestPromise9BoardTextOnATerminal(t *testing.T) {
	const evil = "\x1b[1;31mred\x1b[0m\x1b]0;title\x07\x1b[6n\u009b31m\x1bc\x1b\x1b[[m"
	d := &fetch.Document{URI: uri.MustParse("ftp://h/a.ans"), Body: io.NopCloser(strings.NewReader(evil))}
	if got, want := view(t, d, Text, &Options{Terminal: true, Color: true}), `red\x1b]0;title\x07\u009b31m\x1bc\x1bm`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
