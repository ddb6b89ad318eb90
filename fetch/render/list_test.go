package render

import (
	"io"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Gemtext has a view of its own by whatever scheme it comes, except as the raw text.
func TestGemtextWithoutEntries(t *testing.T) {
	for _, tt := range []struct {
		format Format
		o      Options
		want   string
	}{
		{Text, Options{Terminal: true, Width: 20}, "# Owls\n  [1] The barn owl\nA paragraph of more\nthan one row.\n"},
		{URIList, Options{}, "gopher://h/0/owls/barn.gmi\n"},
		{Raw, Options{Terminal: true}, "# Owls\n=> barn.gmi The barn owl\nA paragraph of more than one row.\n"},
	} {
		d := fetch.NewDocument(io.NopCloser(strings.NewReader("# Owls\n=> barn.gmi The barn owl\nA paragraph of more than one row.\n")))
		d.Type, d.URI = "text/gemini", uri.MustParse("gopher://h/0/owls/index.gmi")
		d.Base = d.URI
		if got := view(t, d, tt.format, &tt.o); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.format, got, tt.want)
		}
	}
}

// On a narrow terminal the names of files have room: only the size is before them.
func TestNarrowListing(t *testing.T) {
	for width, want := range map[int]string{80: "  [1] 1994-12-20 12:00        71000  a.txt\n  [2] 1994-12-20 12:00               b/\n", 40: "  [1]     71 kB  a.txt\n  [2]            b/\n"} {
		at := time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)
		d := &fetch.Document{Entries: func(yield func(fetch.Entry, error) bool) {
			_ = yield(fetch.Entry{URI: uri.MustParse("ftp://h/a.txt"), Title: "a.txt", Kind: fetch.KindFile, Size: 71_000, Modified: at}, nil) &&
				yield(fetch.Entry{URI: uri.MustParse("ftp://h/b/"), Title: "b", Kind: fetch.KindDir, Size: -1, Modified: at}, nil)
		}}
		if got := view(t, d, Text, &Options{Terminal: true, Width: width}); got != want {
			t.Errorf("%d columns: got %q, want %q", width, got, want)
		}
	}
}
