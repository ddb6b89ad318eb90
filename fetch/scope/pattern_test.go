package scope_test

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

func parse(t *testing.T, s string, hasTop bool) scope.Patterns {
	t.Helper()
	l, err := scope.ParsePatterns([]string{s}, hasTop)
	if err != nil || l[0].String() != s {
		t.Fatalf("%s: got %v, %v; want the pattern", s, l, err)
	}
	return l
}

// Links have no top: a glob with a slash is one of the whole URI.
func TestMatchLink(t *testing.T) {
	for _, c := range []struct {
		pattern, uri string
		want         bool
	}{
		{"*.example", "http://a.Example:80/x", true}, {"example", "http://a.example/", false}, {"*.example", "mailto:a@b.example", false},
		{"A.example", "http://a.example/", true}, {"*", "mailto:a@b", false},
		{"http://h/a*", "http://h/abc/d", true}, {"http://h/a*", "https://h/abc", false}, {"http://h/?.gif", "http://h/a.gif", true},
		{"http://h/a", "http://h/a/b", false}, {"re:/private/", "http://h/private/x", true}, {"re:^ftp", "http://h/ftp", false},
		{"http://u@h/*", "http://u:secret@h/x", true}, {"http://h/a.b", "http://h/axb", false}, {"*#x", "http://h/#x", true}, {"*#x", "http://x/", false},
		{"*/gone", "http://h/a/b/gone", true}, {"*/gone", "http://h/gone/x", false}, {"mailto:*", "mailto:a@b", true},
		// names of documents and directories
		{"*.pdf", "http://h/a/b.pdf", true}, {"*.pdf", "http://h/b.pdf?x#y", true}, {"*.pdf", "http://h/b.pdf.html", false}, {"*.pdf", "data:,b.pdf", false},
		{"*.pdf", "file:///a/b.pdf", true}, {"tmp", "http://h/a/tmp/b", true}, {"tmp", "http://h/a/tmp/", true}, {"t{m,n}p", "http://h/tnp", true}, {"a b", "http://h/a%20b", true},
	} {
		if got := parse(t, c.pattern, false).MatchLink(uri.MustParse(c.uri)); got != c.want {
			t.Errorf("%s, %s: got %t, want %t", c.pattern, c.uri, got, c.want)
		}
	}
	for _, bad := range []string{"", "re:(", "["} {
		if _, err := scope.ParsePattern(bad, false); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("%q: got %v, want ErrLocal", bad, err)
		}
	}
}

// Documents below a top have paths.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		match, within bool
	}{
		{"*.pdf", "a/b.pdf", true, true}, {"*.pdf", "a.pdf/b", false, true}, {"a", "a", true, true}, {"a", "b/a/c", false, true}, {"a/", "b/a", true, true},
		{"/a", "a/b", false, true}, {"/a", "b/a", false, false}, {"a/b", "a/b/c", false, true}, {"a/b", "x/a/b", false, false},
		{"*/b", "a/b", true, true}, {"*/b", "x/a/b", false, false}, {"**/b", "x/a/b", true, true}, {"*::*", "a::b", true, true}, {"#*#", "#a#", true, true},
		{"ftp://h/*", "x", true, true}, {"ftp://g/*", "x", false, false}, {"re:/x$", "y", true, true}, {"*", "", false, false},
	} {
		l, u := parse(t, c.pattern, true), uri.MustParse("ftp://h/x")
		if match, within := l.Match(u, c.path), l.MatchWithin(u, c.path); match != c.match || within != c.within {
			t.Errorf("%s, %s: got %t, %t; want %t, %t", c.pattern, c.path, match, within, c.match, c.within)
		}
	}
}
