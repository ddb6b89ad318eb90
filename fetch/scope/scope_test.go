package scope_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/scope"
	"example.org/deref/schemes/gopher"
	httpscheme "example.org/deref/schemes/http"
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
	for _, c := range [][2]string{{"https://h:8443/", "https://h:9000/"}, {"https://h/", "https://h:444/"}, {"https://h:8443/", "http://h:8080/"}} {
		got := scope.Sites([]uri.URI{uri.MustParse(c[0])}, nil, nil, false).WhyNot(uri.MustParse(c[1]), 0)
		if want := map[bool]string{true: scope.Elsewhere}[strings.HasPrefix(c[1], "https:")]; got != want {
			t.Errorf("%s of %s: got %q, want %q", c[1], c[0], got, want)
		}
	}
	only := scope.Scope{Include: parse(t, "*.pdf", true)}
	if got := only.WhyNot(uri.MustParse("http://h/x"), 0); got != scope.NotIncluded {
		t.Errorf("got %q, want %q", got, scope.NotIncluded)
	}
}

func TestCanonical(t *testing.T) {
	known := slices.Concat(httpscheme.Schemes(nil), gopher.Schemes())
	for from, want := range map[string]string{
		"HTTP://H:80/%7ea/../b#c": "http://h/b", "http://h": "http://h/", "gopher://H:70/1": "gopher://h/", "gopher://h": "gopher://h/", "gophers://h/1?a": "gophers://h/1?a", "gopher://h/1/": "gopher://h/",
		"gopher://h/1/a": "gopher://h/1/a", "unknown://H/#x": "unknown://h/",
	} {
		if got := scope.Canonical(known, uri.MustParse(from)).String(); got != want {
			t.Errorf("%s: got %s, want %s", from, got, want)
		}
	}
}

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

// served returns a server of one robots.txt, which is read once.
func served(t *testing.T, text string) (*fetch.Client, string) {
	reads := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reads++; reads > 1 {
			t.Errorf("got request %d: %s, want one", reads, r.URL)
		}
		io.WriteString(w, text)
	}))
	c := fetch.New(httpscheme.Schemes(nil)...)
	t.Cleanup(func() { c.Close(); srv.Close() })
	return c, srv.URL
}

func TestRules(t *testing.T) {
	c, base := served(t, "\ufeffUser-agent: *\nDisallow: /no\nCrawl-delay: soon\nCrawl-delay: 0.01\nSitemap: http://h/a.xml\nSitemap: b.xml\n")
	rules := scope.NewRobots(c, "deref")
	for path, want := range map[string]bool{"/": true, "/no/x": false, "/yes?no": true} {
		if got, err := rules.Allows(t.Context(), uri.MustParse(base+path)); got != want || err != nil {
			t.Errorf("%s: got %t, %v; want %t", path, got, err, want)
		}
	}
	if got := rules.Delay(uri.MustParse(base + "/")); got != 10*time.Millisecond {
		t.Errorf("got the delay %v, want 10ms", got)
	}
	if got := fmt.Sprint(rules.Sitemaps(t.Context(), uri.MustParse(base+"/"))); got != "[http://h/a.xml]" {
		t.Errorf("got the sitemaps %s, want [http://h/a.xml]", got)
	}
}

// RFC 9309 section 2.2: one bad line concerns no other, and the longest rule decides.
func TestRulesOfPaths(t *testing.T) {
	const all = "User-agent: *\n"
	for _, c := range []struct {
		text, path string
		want       bool
	}{
		{all + "Disallow: /a*b", "/acb", false}, {all + "Disallow: /a*b", "/x/a/b", true}, {all + "Disallow: /*.gif$", "/x.gif", false},
		{all + "Disallow: /*.gif$", "/x.gif?y", true}, {all + "Disallow: /*a*b$", "/ab/ab", false}, {all + "Disallow: /a$", "/a", false}, {all + "Disallow: /a$", "/ab", true},
		{all + "Disallow: /a%7eb", "/a~b", false}, {all + "Disallow: /\u00e9", "/%c3%a9", false}, {all + "Disallow: /%2f", "//", true}, {all + "Disallow: a", "/a", false},
		{all + "Disallow: /%2A/b", "/*/b", false}, {all + "Disallow: /%2A/b", "/a/b", true}, {all + "Disallow: /*/b", "/%2a/b", false}, // section 2.2.3
		{all + "Disallow: /a%24", "/a$", false}, {all + "Disallow: /a%24", "/a", true}, {all + "Disallow: /a$b", "/a$b", false}, {all + "Disallow: /a$b$", "/a%24bc", true},
		{all + "Disallow: /p\nAllow: /p", "/p", true}, {all + "Allow: /p/q\nDisallow: /p", "/p/q", true}, {all + "Disallow: /", "/robots.txt", true},
		{all + "Disallow:\nUser-agent: bad\nDisallow: /", "/x", true}, {"User-agent: d\nDisallow: /", "/x", true},
		{all + "Disallow: /\n\nUser-agent: Deref/1.0\nDisallow: /x", "/y", true}, {"User-agent: deref\nUser-agent: *\nDisallow: /x", "/x", false},
		{"User-agent: deref\nDisallow: /a\n\nUser-agent: deref\nDisallow: /b # c", "/a", false},
		{"Disallow: /x\ncrawl-delay: soon\nnonsense\n" + all + "Disallow: /y", "/x", true},
		{"\r\nUser-agent: *\r\nDisallow: /x\r\n", "/x", false}, {"# a\rUser-agent: *\r\rDisallow: /x\r", "/x", false}, {"# a\rUser-agent: *\rDisallow: /x", "/y", true},
	} {
		s := &texts{of: map[string]string{"http://h/robots.txt": c.text}}
		if got, err := scope.NewRobots(s, "").Allows(t.Context(), uri.MustParse("http://h"+c.path)); got != c.want || err != nil {
			t.Errorf("%q, %s: got %t, %v; want %t", c.text, c.path, got, err, c.want)
		}
	}
}

// texts are documents by their URIs. It counts the requests.
type texts struct {
	fetch.Getter
	of       map[string]string
	requests int
}

func (s *texts) Get(_ context.Context, u uri.URI, _ *fetch.Options) (*fetch.Document, error) {
	s.requests++
	text, ok := s.of[u.String()]
	if !ok {
		return nil, fetch.Errorf(fetch.ErrNotFound, "no such document")
	}
	return &fetch.Document{Body: io.NopCloser(strings.NewReader(text))}, nil
}

// The rules of each scheme that has some are read when they are needed, and again after a day. Until then, Forbids knows nothing.
func TestSchemesWithRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &texts{of: map[string]string{}}
		rules := scope.NewRobots(s, "")
		for where, no := range map[string]string{"http://h/robots.txt": "http://h/no", "gopher://h/0robots.txt": "gopher://h/1/no", "gemini://h/robots.txt": "gemini://h/no", "": "ftp://h/no"} {
			s.of[where] = "User-agent: *\nDisallow: /no\n"
			u := uri.MustParse(no)
			before := rules.Forbids(u)
			ok, err := rules.Allows(t.Context(), u)
			if want := where == ""; ok != want || err != nil || before || rules.Forbids(u) == want {
				t.Errorf("%s: got %t, %v, before %t, after %t; want %t", u, ok, err, before, rules.Forbids(u), want)
			}
		}
		u := uri.MustParse("http://h/no")
		delete(s.of, "http://h/robots.txt")
		for _, c := range []struct {
			wait time.Duration
			want int
		}{{23 * time.Hour, 3}, {2 * time.Hour, 4}} {
			time.Sleep(c.wait)
			if ok, err := rules.Allows(t.Context(), u); ok != (c.want == 4) || err != nil || s.requests != c.want {
				t.Errorf("%v later: got %t, %v and %d requests, want %d", c.wait, ok, err, s.requests, c.want)
			}
		}
	})
}
