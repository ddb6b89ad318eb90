package render

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestHighlightingMarks(t *testing.T) {
	const text = "the \x1b(wide\x1b) area\x1babcd server\x1b"
	for in, want := range map[string]string{"wais://h/db/TEXT/x": "the wide area server", "gopher://h/0/x": text} {
		for _, slow := range []bool{false, true} {
			var r io.Reader = strings.NewReader(text)
			if slow {
				r = iotest.OneByteReader(r)
			}
			d := fetch.NewDocument(io.NopCloser(r))
			d.URI, d.Type = uri.MustParse(in), "text/plain"
			if got := view(t, d, Text, nil); got != want {
				t.Errorf("%s: got %q, want %q", in, got, want)
			}
		}
	}
}
