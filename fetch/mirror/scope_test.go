package mirror_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/scope"
)

// A web is a site of pages that counts requests. A page that begins with "->" redirects.
type web struct {
	root  string
	mu    sync.Mutex
	pages map[string]string
	asked map[string]int
}

func newWeb(t *testing.T, pages map[string]string) *web {
	w := &web{pages: pages, asked: map[string]int{}}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	w.root = s.URL
	return w
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.URL.RequestURI()]++
	text, ok := s.pages[r.URL.RequestURI()]
	to, leads := strings.CutPrefix(text, "->")
	tag := fmt.Sprintf("%q", hash(text)[:8])
	switch {
	case !ok:
		http.NotFound(w, r)
	case leads:
		http.Redirect(w, r, to, http.StatusMovedPermanently)
	case r.Header.Get("If-None-Match") == tag:
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Header().Set("Etag", tag)
		kind := "text/html"
		if strings.Contains(r.URL.Path, ".txt") {
			kind = "text/plain"
		}
		w.Header().Set("Content-Type", kind)
		w.Write([]byte(text))
	}
}

// count returns how often each URI was requested, and resets the counts.
func (s *web) count() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.asked
	s.asked = map[string]int{}
	return was
}

func namesIn(t *testing.T, dir string) string {
	t.Helper()
	return strings.Join(slices.Sorted(maps.Keys(tree(t, dir))), " ")
}

func pattern(t *testing.T, list ...string) scope.Patterns {
	t.Helper()
	all, err := scope.ParsePatterns(list, true)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatIsTaken(t *testing.T) {
	t.Parallel()
	other := newWeb(t, map[string]string{"/far.txt": "far"})
	otherHost := "elsewhere/http/" + strings.Replace(strings.TrimPrefix(other.root, "http://"), ":", "_", 1)
	w := newWeb(t, map[string]string{
		"/d/": `<a href=a.html>a</a><a href="/up.txt">up</a><img src="p.gif?x=1/2"><form action="act"></form><a href="` + other.root +
			`/far.txt">`,
		"/d/a.html":      `<a href="b.html#x">b</a>`,
		"/d/b.html":      `<a href="c/d.txt">c</a><a href="mailto:a@b"></a><a href="file:///etc/passwd"></a><a href="c/d.dat"></a>`,
		"/d/c/d.txt":     "d",
		"/d/c/d.dat":     "dat",
		"/d/p.gif?x=1/2": "gif",
		"/up.txt":        "up",
		"/robots.txt":    "User-agent: *\nDisallow: /d/c/d.dat\nCrawl-delay: nonsense\n",
	})
	for _, test := range []struct {
		name string
		o    mirror.Options
		want string
	}{
		{"all", mirror.Options{}, "d/a.html d/b.html d/c/d.txt d/index.html d/p.gif@x=1_2 up.txt"},
		{"without robots", mirror.Options{IgnoreRobots: true, NoParent: true}, "a.html b.html c/d.dat c/d.txt index.html p.gif@x=1_2"},
		{"no parent", mirror.Options{NoParent: true}, "a.html b.html c/d.txt index.html p.gif@x=1_2"},
		{"depth", mirror.Options{Depth: 1}, "d/a.html d/index.html d/p.gif@x=1_2 up.txt"},
		{"the root alone", mirror.Options{Depth: -1}, "d/index.html"},
		{"span hosts", mirror.Options{SpanHosts: true}, "d/a.html d/b.html d/c/d.txt d/index.html d/p.gif@x=1_2 " + otherHost +
			"/far.txt up.txt"},
		{"exclude a name", mirror.Options{Exclude: pattern(t, "*.gif*")}, "d/a.html d/b.html d/c/d.txt d/index.html up.txt"},
		{"exclude a folder", mirror.Options{Exclude: pattern(t, "d/c")}, "d/a.html d/b.html d/index.html d/p.gif@x=1_2 up.txt"},
		{"exclude by expression", mirror.Options{Exclude: pattern(t, `re:/[ab]\.html$`)}, "d/index.html d/p.gif@x=1_2 up.txt"},
		{"exclude by URI", mirror.Options{Exclude: pattern(t, "http://*/d/?.html")}, "d/index.html d/p.gif@x=1_2 up.txt"},
		{"include", mirror.Options{Include: pattern(t, "*.txt")}, "d/c/d.txt up.txt"},
		{"number", mirror.Options{Number: 2}, "d/a.html d/index.html"},
		{"long", mirror.Options{URILength: len(w.root) + 9}, "d/a.html d/b.html d/index.html up.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.NoIndex = true
			dir := t.TempDir()
			run(t, w.root+"/d/", dir, &test.o)
			if got := namesIn(t, dir); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
			for u, n := range w.count() {
				if n > 1 || u == "/d/act" {
					t.Errorf("%s was requested %d times, want once", u, n)
				}
			}
		})
	}
}

// TestTrapsEnd: an endless site, and one whose directories contain themselves.
func TestTrapsEnd(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="down/">x</a> <a href="x/y/">z</a>`)
	}))
	defer s.Close()
	sum := run(t, s.URL+"/", t.TempDir(), nil)
	if sum.Saved < 10 || sum.Saved > 5000 || sum.LeftOut == 0 {
		t.Errorf("got %+v, want Saved >= 10, Saved <= 5000 and non-zero LeftOut", sum)
	}
}
