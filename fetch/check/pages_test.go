package check_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/testdata/linkset"
	"example.org/deref/uri"
)

// TestPartsOfOnePage: many links into one page do not fetch it again for each, whatever the page is.
func TestPartsOfOnePage(t *testing.T) {
	t.Parallel()
	var parts strings.Builder
	for i := range 4 {
		fmt.Fprintf(&parts, "<p id=p%d>%d</p>\n", i, i)
	}
	for _, tt := range []struct {
		name  string
		serve func(w http.ResponseWriter)
		most  int64
		there check.Verdict // p0 ... p3
		gone  check.Verdict // p4
		kind  fetch.Kind
	}{
		{"a page", func(w http.ResponseWriter) { fmt.Fprint(w, parts.String()) }, 2, check.OK, check.Broken, fetch.ErrNotFound},
		{"longer than is held", func(w http.ResponseWriter) {
			fmt.Fprint(w, "<p>", strings.Repeat("text text text text\n", 60_000), parts.String())
		}, 10, check.OK, check.Broken, fetch.ErrNotFound},
		{"cut short", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000000")
			fmt.Fprint(w, parts.String())
		}, 10, check.OK, check.Broken, fetch.ErrTruncated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked atomic.Int64
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if r.URL.Path == "/old" {
					http.Redirect(w, r, "/page", http.StatusFound)
					return
				}
				w.Header().Set("Content-Type", "text/html")
				tt.serve(w)
			}))
			defer srv.Close()
			var list strings.Builder
			for i := range 5 {
				fmt.Fprintf(&list, "<%s/page#p%d>\n", srv.URL, i)
			}
			got, _ := run(t, "list.txt", list.String(), &check.Options{})
			for i := range 5 {
				want := tt.there
				if i == 4 {
					want = tt.gone
				}
				r := got[fmt.Sprintf("%s/page#p%d", srv.URL, i)]
				if r == nil || r.Verdict != want || want == check.Broken && fetch.KindOf(r.Err) != tt.kind {
					t.Fatalf("#p%d: got %+v, want %s", i, r, want)
				}
			}
			if n := asked.Load(); n > tt.most {
				t.Errorf("the page was requested %d times", n)
			}
			asked.Store(0)
			moved, _ := run(t, "list.txt", fmt.Sprintf("<%[1]s/old#p1> <%[1]s/old#p2> <%[1]s/old#p4>", srv.URL), &check.Options{})
			for name, want := range map[string]check.Verdict{"#p1": check.Redirected, "#p2": check.Redirected, "#p4": check.Broken} {
				if r := moved[srv.URL+"/old"+name]; r == nil || r.Verdict != want {
					t.Errorf("through another name, %s: got %+v; want non-nil r and Verdict %v", name, r, want)
				}
			}
		})
	}
}

// TestManyLinks: none of 24 kinds of links is reported wrongly, and of a site with 100 pages each is read once.
func TestManyLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	s := linkset.Start()
	t.Cleanup(s.Close)
	list := s.List(192, loopback.Reserve(t))
	text := ""
	for _, l := range list {
		text += "<" + l.URI + ">\n"
	}
	got, sum := run(t, "list.txt", text, &check.Options{Batch: batch.Options{Parallel: 8, PerHost: 4}})
	for _, l := range list {
		if r := got[l.URI]; r == nil || r.Verdict.IsBad() != l.Broken {
			t.Errorf("%s (%s): got %+v, want broken %t", l.URI, l.Way, r, l.Broken)
		}
	}
	if sum.Links != 192 {
		t.Errorf("got %d links, want 192", sum.Links)
	}
	pages := map[string]check.Verdict{}
	sum, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse(s.Site(100))}, &check.Options{Crawl: &check.Crawl{},
		Done: func(r *check.Result) { pages[r.Name()] = r.Verdict }})
	broken := 0
	for name, v := range pages {
		if v.IsBad() != strings.Contains(name, "/gone/") {
			t.Errorf("%s: got %s", name, v)
		}
		if v.IsBad() {
			broken++
		}
	}
	if err != nil || sum.Pages != 100 || broken != 10 || fetch.KindOf(sum.First) != fetch.ErrNotFound {
		t.Errorf("got %v, %+v; want 100 pages and 10 broken links", err, sum)
	}
}

// A program without file descriptors has tested nothing.
func TestNoDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(t)
		c.Dialer = func(context.Context, string, string) (net.Conn, error) {
			return nil, os.NewSyscallError("socket", syscall.EMFILE)
		}
		if r := check.One(t.Context(), c, uri.MustParse("http://127.0.0.1/"), nil); r.Verdict != check.Unreachable {
			t.Errorf("got %s %v, want %s", r.Verdict, r.Err, check.Unreachable)
		}
	})
}

// One comes to the result of Run.
func TestOne(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/good", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p id=here>")
	})
	mux.Handle("/moved", http.RedirectHandler("/good", http.StatusMovedPermanently))
	mux.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	c := client(t)
	for link, want := range map[string]check.Verdict{
		web.URL + "/good": check.OK, web.URL + "/good#here": check.OK, web.URL + "/good#gone": check.Broken, web.URL + "/moved": check.Redirected,
		web.URL + "/missing": check.Broken, web.URL + "/busy": check.Unreachable, "mailto:b@site.example": check.NotCheckable,
	} {
		var all *check.Result
		if _, err := check.Run(t.Context(), c, []uri.URI{uri.MustParse("data:text/html," + url.PathEscape("<a href='"+link+"'>a</a>"))},
			&check.Options{Done: func(r *check.Result) { all = r }}); err != nil {
			t.Fatal(err)
		}
		one := check.One(t.Context(), c, uri.MustParse(link), nil)
		if one.Verdict != want || all == nil || one.Verdict != all.Verdict || one.Permanent != all.Permanent || one.Final.String() != all.Final.String() {
			t.Errorf("%s: got %s %v %v, and %+v from Run, want %s", link, one.Verdict, one.Final, one.Err, all, want)
		}
	}
}
