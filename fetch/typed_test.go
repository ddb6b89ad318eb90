package fetch

import (
	"strings"
	"testing"

	"example.org/deref/uri"
)

func TestTyped(t *testing.T) {
	r := Registry{{Names: []string{"http"}, Rules: uri.Rules{DefaultPort: 80}}, {Names: []string{"gopher"}, Rules: uri.Rules{DefaultPort: 70}}, {Names: []string{"file"}, Local: true}}
	for text, want := range map[string]string{
		"gopher://h/0/a":             "gopher://h/0/a",
		" <URL:gopher://h/> ":        "gopher://h/",
		"URL:gopher://h/":            "gopher://h/",
		"<gopher://h/>":              "gopher://h/",
		"gopher.example":             "gopher://gopher.example/",
		"h.example:70":               "gopher://h.example:70/",
		"h.example/a?b":              "http://h.example/a?b",
		"localhost:8080":             "http://localhost:8080/",
		"[2001:db8::1]":              "http://[2001:db8::1]/",
		"file.example":               "http://file.example/",
		"":                           "refused-url",
		"owls":                       "refused-url",
		"a b.example":                "refused-url",
		"javascript:alert(1)":        "unsupported",
		"nonesuch://h/":              "unsupported",
		"user:password@h.example/%%": "refused-url",
	} {
		u, err := r.Typed(text)
		got := u.String()
		if err != nil {
			got = string(KindOf(err))
		}
		if got != want {
			t.Errorf("%q: got %s, %v; want %s", text, got, err, want)
		}
	}
}

// A long text of a server is cut between two characters.
func TestLongTextIsCut(t *testing.T) {
	for _, first := range []string{"", "x", "xx"} {
		want := first + strings.Repeat("日", (500-len(first))/3) + "..."
		if got := oneLine(first + strings.Repeat("日", 400)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
