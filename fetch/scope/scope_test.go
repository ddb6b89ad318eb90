package scope_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch/scope"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// The scope of a crawl is the sites of its roots, or what is below their directories, within the bounds and patterns.
func TestWhyNot(t *testing.T) {
	roots := []uri.URI{uri.MustParse("http://h/a/i.html"), uri.MustParse("gopher://g/1/a"), uri.MustParse("news:a.b")}
	hosts, far := parse(t, "*.example", true), parse(t, "no", true)
	for _, c := range []struct {
		uri           string
		sites, below  string // of the roots
		ofHosts, deep string // of a pattern, with http alone; three steps away
	}{
		{"http://h/a/x", "", "", scope.Elsewhere, scope.TooDeep},
		{"https://H/a/x", "", "", scope.OtherScheme, scope.TooDeep},
		{"http://h/ab", "", scope.Above, scope.Elsewhere, scope.TooDeep},
		{"http://h:81/a/x", scope.Elsewhere, scope.Elsewhere, scope.Elsewhere, scope.TooDeep},
		{"http://h.example/a", scope.Elsewhere, scope.Elsewhere, "", scope.TooDeep},
		{"gemini://h/a/x", scope.OtherScheme, scope.OtherScheme, scope.OtherScheme, scope.TooDeep},
		{"gopher://g/0/a/x", "", "", scope.OtherScheme, scope.TooDeep},
		{"gopher://g/1/b", "", scope.Above, scope.OtherScheme, scope.TooDeep},
		{"news:c.d", "", "", scope.OtherScheme, scope.TooDeep},
		{"mailto:a@h", scope.OtherScheme, scope.OtherScheme, scope.OtherScheme, scope.TooDeep},
		{"http://h/a/no/x", scope.Excluded, scope.Excluded, scope.Elsewhere, scope.TooDeep},
		{"http://h/a/b/a/b/a/b/a", scope.Repeating, scope.Repeating, scope.Elsewhere, scope.TooDeep},
		{"http://h/a/" + strings.Repeat("b/", 100), scope.Repeating, scope.Repeating, scope.Elsewhere, scope.TooDeep},
		{"http://h/a/" + strings.Repeat("x", scope.LongestURI), scope.TooLong, scope.TooLong, scope.TooLong, scope.TooLong},
	} {
		u := uri.MustParse(c.uri)
		for _, s := range []struct {
			name  string
			scope *scope.Scope
			most  int
			want  string
		}{
			{"sites", scope.Sites(roots, nil, nil, false), -1, c.sites}, {"below", scope.Sites(roots, nil, nil, true), -1, c.below},
			{"of hosts", scope.Sites(roots, hosts, []string{"http"}, true), 3, c.ofHosts}, {"deep", scope.Sites(roots, nil, nil, false), 2, c.deep},
		} {
			s.scope.Depth, s.scope.Exclude = s.most, far
			if got := s.scope.WhyNot(u, 3); got != s.want {
				t.Errorf("%s, %s: got %q, want %q", s.name, c.uri, got, s.want)
			}
		}
	}
	only := scope.Scope{Include: parse(t, "*.pdf", true)}
	if got := only.WhyNot(uri.MustParse("http://h/x"), 0); got != scope.NotIncluded {
		t.Errorf("got %q, want %q", got, scope.NotIncluded)
	}
}

func TestCanonical(t *testing.T) {
	for from, want := range map[string]string{
		"HTTP://H:80/%7ea/../b#c": "http://h/b", "http://h": "http://h/", "gopher://H:70/1": "gopher://h/", "gopher://h": "gopher://h/", "gophers://h/1?a": "gophers://h/1?a", "gopher://h/1/": "gopher://h/",
		"gopher://h/1/a": "gopher://h/1/a", "unknown://H/#x": "unknown://h/",
	} {
		if got := scope.Canonical(schemes.All(nil), uri.MustParse(from)).String(); got != want {
			t.Errorf("%s: got %s, want %s", from, got, want)
		}
	}
}
