package check_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/testdata/linkset"
	"example.org/deref/uri"
)

// TestManyLinks: none of 1,600 links of many kinds is reported wrongly, and of a site with 500 pages each is read once.
func TestManyLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	s := linkset.Start()
	t.Cleanup(s.Close)
	list := s.List(1600, loopback.Reserve(t))
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
	if sum.Links != 1600 {
		t.Errorf("got %d links, want 1600", sum.Links)
	}
	pages := map[string]check.Verdict{}
	sum, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse(s.Site(500))}, &check.Options{Crawl: &check.Crawl{},
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
	if err != nil || sum.Pages != 500 || broken != 50 || fetch.KindOf(sum.First) != fetch.ErrNotFound {
		t.Errorf("got %v, %+v; want 500 pages and 50 broken links", err, sum)
	}
}
