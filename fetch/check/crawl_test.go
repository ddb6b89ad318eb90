package check_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// A site serves pages, and counts the requests.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
}

func newSite(t *testing.T, pages map[string]string) *site {
	s := &site{asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.Method+" "+r.URL.Path]++
		s.mu.Unlock()
		text, ok := pages[r.URL.Path]
		switch to, moved := strings.CutPrefix(text, "-> "); {
		case !ok:
			http.NotFound(w, r)
		case moved:
			http.Redirect(w, r, to, http.StatusMovedPermanently)
		default:
			if strings.HasSuffix(r.URL.Path, ".xml") {
				w.Header().Set("Content-Type", "application/xml")
			}
			if strings.HasSuffix(r.URL.Path, ".xhtml") {
				w.Header().Set("Content-Type", "application/xhtml+xml")
			}
			io.WriteString(w, strings.ReplaceAll(text, "SITE", s.URL))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// crawl checks the site, and returns "VERDICT PATH" of each link and the summary.
func (s *site) crawl(t *testing.T, o *check.Options) (map[string]*check.Result, check.Summary) {
	t.Helper()
	got := map[string]*check.Result{}
	o.Done = func(r *check.Result) { got[strings.TrimPrefix(r.Name(), s.URL)] = r }
	sum, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse(s.URL + "/")}, o)
	if err != nil {
		t.Fatal(err)
	}
	return got, sum
}

func verdicts(got map[string]*check.Result) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(got)) {
		list = append(list, fmt.Sprintf("%s %s", name, got[name].Verdict))
	}
	return strings.Join(list, "\n")
}

// linkedPages returns the pages of a site with a link to another one.
func linkedPages(elsewhere string) map[string]string {
	return map[string]string{
		"/":                 `<a href="a.html#part">a</a> <a href="gone">g</a> <a href="p.png">p</a> <a href="no/x">n</a> <a href="moved">m</a> <a href="` + elsewhere + `/">o</a>`,
		"/a.html":           `<h1 id=part>A</h1> <a href="b.html#none">b</a> <a href="#own">o</a> <a href="gone">g</a> <a href="http://[">i</a>`,
		"/b.html":           `<a href="/gone">g</a> <a href="/c.html">c</a> <a href="http://[">i</a>`,
		"/c.html":           `<a href="/d.html">d</a>`,
		"/d.html":           `<a href="e.xhtml#part">e</a>`,
		"/e.xhtml":          `<title/><p id="part"/><a href="gone"/>`,
		"/moved":            "-> /new.html",
		"/new.html":         `<a href="/b.html">b</a>`,
		"/p.png":            "image",
		"/robots.txt":       "User-agent: *\nDisallow: /no/\nSitemap: SITE/map.xml\n",
		"/map.xml":          "<sitemapindex><sitemap><loc>SITE/part.xml</loc></sitemap></sitemapindex>",
		"/part.xml":         "<urlset><url><loc>SITE/orphan.html</loc></url></urlset>",
		"/orphan.html":      `<a href="/lost">l</a>`,
		"/no/x":             `<a href="/hidden">h</a>`,
		"/deep/deep/deep":   "x",
		"/deep/deep/deep/a": "x",
	}
}

func TestCrawl(t *testing.T) {
	t.Parallel()
	other := newSite(t, map[string]string{"/": `<a href="/unseen">x</a>`})
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	s := newSite(t, linkedPages(elsewhere))
	got, sum := s.crawl(t, &check.Options{Crawl: &check.Crawl{Sitemaps: true}})
	want := strings.NewReplacer("OTHER", elsewhere).Replace(`/ ok
/a.html ok
/a.html#own broken
/a.html#part ok
/b.html ok
/b.html#none broken
/c.html ok
/d.html ok
/e.xhtml ok
/e.xhtml#part ok
/gone broken
/lost broken
/map.xml ok
/moved redirected
/new.html ok
/no/x not checkable
/orphan.html ok
/p.png ok
/part.xml ok
OTHER/ ok`)
	all := verdicts(got)
	if list := strings.Split(strings.Replace(all, "http://[ broken\n", "", 1), "\n"); !slices.Equal(sorted(list), sorted(strings.Split(want, "\n"))) {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
	if r := got["/gone"]; r == nil || r.Count != 4 || len(r.Places) != 4 {
		t.Errorf("got %+v, want four places", r)
	}
	if r := got["http://["]; r == nil || r.Count != 2 {
		t.Errorf("got %+v, want one result with two places", r)
	}
	if sum.Pages != 10 {
		t.Errorf("got %d pages, want 10", sum.Pages)
	}
	for _, path := range []string{"/a.html", "/b.html", "/new.html", "/orphan.html"} {
		if n := s.asked["GET "+path]; n < 1 || n > 2 { // twice after a redirect, or if a link to a part is tested while the page is being read
			t.Errorf("%s: got %d requests, want 1 or 2", path, n)
		}
	}
	if other.asked["GET /unseen"]+other.asked["HEAD /unseen"] > 0 || s.asked["GET /no/x"]+s.asked["GET /p.png"] > 0 {
		t.Errorf("got requests %v and %v, want none for other sites' links, forbidden pages and contents of images", other.asked, s.asked)
	}
}

// TestCrawlOrder: what is bad is sorted by the page that sorts first, whatever the order in which the pages are read. A link has its first places.
func TestCrawlOrder(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"/": "", "/z.html": ""}
	for i := range 30 {
		name := fmt.Sprintf("/%02d.html", i)
		pages["/"] += fmt.Sprintf(`<a href="/%02d.html">x</a>`, 29-i)
		pages[name] = fmt.Sprintf("<a href=/zgone>x</a>\n<a href=/agone%02d>x</a><a href='http://[%02d'>x</a>", i, i)
	}
	s := newSite(t, pages)
	o := &check.Options{Crawl: &check.Crawl{IgnoreRobots: true}, Batch: batch.Options{Parallel: 8}}
	var got, want []string
	o.Done = func(r *check.Result) {
		if r.Verdict.IsBad() {
			got = append(got, strings.TrimPrefix(r.Name(), s.URL)+" "+strings.TrimPrefix(r.PlaceName(r.Places[0]), s.URL))
		}
		if r.URI.String() == s.URL+"/zgone" && (r.Count != 30 || len(r.Places) != check.MaxPlaces || r.Places[19].Source.String() != s.URL+"/19.html") {
			t.Errorf("got %d places, the first ones %v, want 30, and those from /00.html to /19.html", r.Count, r.Places)
		}
	}
	if _, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse(s.URL + "/")}, o); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		if i == 0 {
			want = append(want, "/zgone /00.html:1")
		}
		want = append(want, fmt.Sprintf("/agone%02d /%02d.html:2", i, i), fmt.Sprintf("http://[%02d /%02d.html:2", i, i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func TestCrawlBounds(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": `<a href="/1">x</a>`, "/1": `<a href="/2">x</a>`, "/2": `<a href="/3">x</a>`, "/3": `<a href="/4">x</a>`, "/4": "x"})
	for _, tt := range []struct {
		crawl check.Crawl
		want  int64 // pages
		links int64
	}{
		{check.Crawl{Depth: 2}, 3, 4},
		{check.Crawl{Number: 2}, 2, 3},
		{check.Crawl{Schemes: []string{"gopher"}}, 0, 1},
		{check.Crawl{Hosts: scope.Patterns{pattern(t, "*.0.0.?")}}, 5, 5},
		{check.Crawl{Hosts: scope.Patterns{pattern(t, "h")}}, 0, 1},
	} {
		_, sum := s.crawl(t, &check.Options{Crawl: &tt.crawl, Batch: batch.Options{Parallel: 1}})
		if sum.Pages != tt.want || sum.Links != tt.links {
			t.Errorf("%+v: got %d pages and %d links, want %d and %d", tt.crawl, sum.Pages, sum.Links, tt.want, tt.links)
		}
	}
}

// TestCodedPages: some servers compress a page although nobody has asked for that. Its links and parts are found.
func TestCodedPages(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && r.URL.Path != "/page" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, `<a href="/page#part">p</a> <a href="/page#none">n</a> <a href="/gone">g</a> <b id=part>`)
		z.Close()
	}))
	t.Cleanup(s.Close)
	for _, crawl := range []*check.Crawl{nil, {}} {
		got, want := map[string]*check.Result{}, "/gone broken\n/page#none broken\n/page#part ok"
		if crawl != nil {
			want = "/ ok\n/gone broken\n/page ok\n/page#none broken\n/page#part ok"
		}
		o := &check.Options{Crawl: crawl, Done: func(r *check.Result) { got[strings.TrimPrefix(r.Name(), s.URL)] = r }}
		if _, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse(s.URL + "/")}, o); err != nil || verdicts(got) != want {
			t.Errorf("got %v and\n%s\nwant\n%s", err, verdicts(got), want)
		}
	}
}

// TestPackedSitemap: a sitemap may be in a gzip file (sitemaps.org).
func TestPackedSitemap(t *testing.T) {
	t.Parallel()
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "<urlset><url><loc>/orphan.html</loc></url></urlset>")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, map[string]string{"/": "x", "/orphan.html": `<a href="/lost">l</a>`, "/robots.txt": "Sitemap: SITE/map.xml.gz\nSitemap: SITE/short.xml.gz",
		"/map.xml.gz": packed.String(), "/short.xml.gz": packed.String()[:20]})
	got, _ := s.crawl(t, &check.Options{Crawl: &check.Crawl{Sitemaps: true}})
	if want := "/ ok\n/lost broken\n/map.xml.gz ok\n/orphan.html ok\n/short.xml.gz broken"; verdicts(got) != want {
		t.Errorf("got\n%s\nwant\n%s", verdicts(got), want)
	}
}

// TestCrawlWithCache: what is remembered of a page replaces no reading of its links.
func TestCrawlWithCache(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": `<a href="/1">x</a> <a href="/p.png">p</a>`, "/1": `<a href="/gone">x</a>`, "/p.png": "p"})
	cache, err := check.OpenCache(filepath.Join(t.TempDir(), "cache"), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, sum := s.crawl(t, &check.Options{Crawl: &check.Crawl{}, Cache: cache})
		if r := got["/gone"]; r == nil || r.Verdict != check.Broken || sum.Pages != 2 || s.asked["HEAD /p.png"] != 1 {
			t.Errorf("got %s and %d pages, %d requests for /p.png; want /gone broken, 2 pages and one request", verdicts(got), sum.Pages, s.asked["HEAD /p.png"])
		}
	}
}

// TestCrawlOfDefaultPort: a link may name the port that the URI of the site omits, but no other one.
func TestCrawlOfDefaultPort(t *testing.T) {
	web := pages{"https://h/": `<a href="https://h:443/1">x</a> <a href="https://h:8443/2">x</a>`, "https://h:443/1": "x", "https://h:8443/2": `<a href="/3">x</a>`}
	sum, err := check.Run(t.Context(), web, []uri.URI{uri.MustParse("https://h/")}, &check.Options{Crawl: &check.Crawl{}, Schemes: known()})
	if err != nil || sum.Pages != 2 || sum.Links != 3 {
		t.Errorf("got %d pages, %d links, %v; want 2 and 3", sum.Pages, sum.Links, err)
	}
}

// pages is a Getter of pages by their URIs.
type pages map[string]string

func (p pages) Plan(uri.URI, *fetch.Options) (*fetch.Plan, error) { return nil, nil }

func (p pages) Get(_ context.Context, u uri.URI, _ *fetch.Options) (*fetch.Document, error) {
	text, ok := p[u.String()]
	if !ok {
		return nil, fetch.Errorf(fetch.ErrNotFound, "no such page")
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader(text)))
	d.URI, d.Base, d.Type = u, u, "text/html"
	return d, nil
}

func pattern(t *testing.T, s string) scope.Pattern {
	t.Helper()
	p, err := scope.ParsePattern(s, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCrawlContinues: a run with the state of an interrupted one reads the other pages, and tests the bad links again.
func TestCrawlContinues(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"/robots.txt": ""}
	for i := range 30 {
		pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<a href="/%d">next</a> <a href="/gone%d">gone</a>`, i+1, i/10)
	}
	pages["/"] = `<a href="/0">0</a>`
	s := newSite(t, pages)
	path := filepath.Join(t.TempDir(), "state")
	var tested int64
	for n, most := range []int64{10, 0} {
		state, err := batch.OpenState(path)
		if err != nil {
			t.Fatal(err)
		}
		o := &check.Options{Crawl: &check.Crawl{}, List: path + ".links", Batch: batch.Options{Parallel: 1, Journal: state}}
		ctx, cancel := context.WithCancel(t.Context())
		got, count := map[string]*check.Result{}, int64(0)
		o.Done = func(r *check.Result) { got[strings.TrimPrefix(r.Name(), s.URL)] = r }
		o.Links = func(d *fetch.Document) iter.Seq2[check.Link, error] {
			if count++; count == most { // 0 never
				cancel()
			}
			return check.Links(d)
		}
		sum, err := check.Run(ctx, client(t), []uri.URI{uri.MustParse(s.URL + "/")}, o)
		cancel()
		state.Close()
		if (err != nil) != (n == 0) {
			t.Fatalf("run %d: got %v", n, err)
		}
		tested += sum.Links
		if n == 0 {
			continue
		}
		if sum.Earlier < 5 || tested < 34 || got["/gone0"] == nil || got["/gone0"].Verdict != check.Broken || len(got["/gone0"].Places) == 0 {
			t.Errorf("got %+v and /gone0 %+v after %d links, want all of 34, and gone0 with its place", sum, got["/gone0"], tested)
		}
		for name, r := range got {
			if r.Verdict == check.Broken && !strings.HasPrefix(name, "/gone") && name != "/30" {
				t.Errorf("%s is broken", name)
			}
		}
	}
	for i := range 8 {
		if n := s.asked[fmt.Sprintf("GET /%d", i)]; n != 1 {
			t.Errorf("page %d: got %d requests, want 1", i, n)
		}
	}
}
