package render

import (
	"io"
	"strings"
	"testing"

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
		var b strings.Builder
		if err := View(&b, d, tt.format, &tt.o); err != nil || b.String() != tt.want {
			t.Errorf("%s: got %v and %q, want %q", tt.format, err, b.String(), tt.want)
		}
	}
}
