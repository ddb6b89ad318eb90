package check_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
)

// TestPartsOfOnePage: many links into one page do not fetch it again for each, whatever the page is.
func TestPartsOfOnePage(t *testing.T) {
	t.Parallel()
	var parts strings.Builder
	for i := range 10 {
		fmt.Fprintf(&parts, "<p id=p%d>%d</p>\n", i, i)
	}
	for _, tt := range []struct {
		name  string
		serve func(w http.ResponseWriter)
		most  int64
		there check.Verdict // p0 ... p9
		gone  check.Verdict // p10
		kind  fetch.Kind
	}{
		{"a page", func(w http.ResponseWriter) { fmt.Fprint(w, parts.String()) }, 2, check.OK, check.Broken, fetch.ErrNotFound},
		{"longer than is held", func(w http.ResponseWriter) {
			fmt.Fprint(w, strings.Repeat("<p>text\n", 150_000), parts.String())
		}, 22, check.OK, check.Broken, fetch.ErrNotFound},
		{"cut short", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000000")
			fmt.Fprint(w, parts.String())
		}, 22, check.OK, check.Broken, fetch.ErrTruncated},
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
			for i := range 11 {
				fmt.Fprintf(&list, "<%s/page#p%d>\n", srv.URL, i)
			}
			got, _ := run(t, "list.txt", list.String(), &check.Options{})
			for i := range 11 {
				want := tt.there
				if i == 10 {
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
			moved, _ := run(t, "list.txt", fmt.Sprintf("<%[1]s/old#p1> <%[1]s/old#p2> <%[1]s/old#p10>", srv.URL), &check.Options{})
			for name, want := range map[string]check.Verdict{"#p1": check.Redirected, "#p2": check.Redirected, "#p10": check.Broken} {
				if r := moved[srv.URL+"/old"+name]; r == nil || r.Verdict != want {
					t.Errorf("through another name, %s: got %+v; want non-nil r and Verdict %v", name, r, want)
				}
			}
		})
	}
}
