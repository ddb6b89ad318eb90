package mirror_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// TestSecretsStay: a login is sent only to the root's server, and no file of the mirror contains it; a secret in the URI stays in the
// frontier.
func TestSecretsStay(t *testing.T) {
	var mu sync.Mutex
	sent := map[string]string{}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent["far"] += r.Header.Get("Authorization") + r.Header.Get("Cookie")
	}))
	defer far.Close()
	near := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "hush" {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(401)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="%s/x">far</a><a href="/near">near</a>`, far.URL)
	}))
	defer near.Close()
	for name, test := range map[string]struct {
		root  string
		login fetch.Login
	}{
		"option": {near.URL + "/", fetch.Login{User: "u", Password: "hush", Set: true}},
		"uri":    {strings.Replace(near.URL, "//", "//u:hush@", 1) + "/", fetch.Login{}},
	} {
		dir := t.TempDir()
		sum := run(t, test.root, dir, &mirror.Options{SpanHosts: true, Request: &fetch.Options{Login: test.login,
			Set: map[string][]string{"http.credential-header": {"Cookie: hush"}}}})
		if sum.Saved != 3 || sent["far"] != "" {
			t.Errorf("%s: got %+v; the other server received %q, want no secret", name, sum, sent["far"])
		}
		for file, text := range tree(t, filepath.Join(dir, ".deref")) {
			if strings.Contains(text, "hush") {
				t.Errorf("%s: the secret is in %s", name, file)
			}
		}
	}
}

func TestBadRoots(t *testing.T) {
	for _, test := range []struct {
		root string
		kind fetch.Kind
	}{{"relative", fetch.ErrRefusedURL}, {"nonesuch://h/", fetch.ErrUnsupported}, {"ftp://127.0.0.1:1/%0D%0A/", fetch.ErrRefusedURL}} {
		dir := filepath.Join(t.TempDir(), "x")
		if _, err := mirror.Run(t.Context(), client(t), uri.MustParse(test.root), dir, nil); fetch.KindOf(err) != test.kind {
			t.Errorf("%s: got %v, want %v", test.root, err, test.kind)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s created a directory", test.root)
		}
	}
}

// TestRootIsGone: a first Run that finds nothing leaves not even a directory; a later one keeps the copies.
func TestRootIsGone(t *testing.T) {
	pages := map[string]string{"/a.txt": "a"}
	w := newWeb(t, pages)
	new, over, kept := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(over, "d"), 0o700); err != nil { // the user's
		t.Fatal(err)
	}
	run(t, w.root+"/a.txt", kept, nil)
	before := allIn(kept)
	for dir, want := range map[string]string{filepath.Join(new, "x", "y"): ". ", over: ". d ", kept: before} {
		root := w.root + map[bool]string{true: "/gone", false: "/d/e/gone"}[dir == kept]
		sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(root), dir, nil)
		if err != nil || fetch.KindOf(sum.First) != fetch.ErrNotFound || sum.Failed != 1 {
			t.Errorf("got %v, %+v; want fetch.KindOf(sum.First) ErrNotFound and Failed 1", err, sum)
		}
		if strings.HasPrefix(dir, new) {
			dir = new
		}
		if got := allIn(dir); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

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

// allIn returns the paths of the directories and files in dir, but not those in .deref.
func allIn(dir string) (all string) {
	fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		all += path + " "
		return cmp.Or(err, map[string]error{".deref": fs.SkipDir}[path])
	})
	return all
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
	long := strings.Repeat("x", scope.LongestURI)
	w := newWeb(t, map[string]string{
		"/d/": `<a href=a.html>a</a><a href="/up.txt">up</a><img src="p.gif?x=1/2"><form action="act"></form><a href="` + other.root +
			`/far.txt">`,
		"/d/a.html":      `<a href="b.html#x">b</a><a href="` + long + `">l</a>`,
		"/d/" + long:     "long",
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
	sum := run(t, s.URL+"/", t.TempDir(), &mirror.Options{NoIndex: true})
	if sum.Saved < 10 || sum.Saved > 5000 || sum.LeftOut == 0 {
		t.Errorf("got %+v, want Saved >= 10, Saved <= 5000 and non-zero LeftOut", sum)
	}
}
