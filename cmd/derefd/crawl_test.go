//go:build unix || windows

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// The tasks that follow listings stay on their server; a crawl stays below its seed, or on the hosts of the job. The log gets the depth, and of a crawl
// the seed and the number of redirects.
func TestFinder(t *testing.T) {
	t.Parallel()
	const archive = "task = \"archive\"\ndepth = 2\n"
	const crawl = "task = \"crawl\"\ninclude = [\"http://*\"]\nexclude = [\"no\"]\n"
	for _, c := range []struct {
		job, from, note string
		to              string
		redirects       bool
		want            string // the note of what is added
	}{
		{archive, "ftp://h.test/a/", "", "ftp://h.test/a/b", false, `{"d":1}`},
		{archive, "ftp://h.test/a/", `{"d":1}`, "ftp://H.test:21/a/b", false, `{"d":2}`},
		{archive, "ftp://h.test/a/", `{"d":2}`, "ftp://h.test/a/b", false, ""},
		{archive, "gopher://h.test:70/1", "", "gopher://h.test/1/a", false, `{"d":1}`},
		{archive, "ftp://h.test/", "", "ftp://h.test:2121/", false, ""},
		{archive, "ftp://h.test/", "", "ftp://other.test/", false, ""},
		{archive, "ftp://h.test/", "", "http://h.test:21/", false, ""},
		{archive, "news:a.test", "", "news:1@a.test", false, `{"d":1}`},
		{archive, "news:a.test", "", "ftp://h.test/", false, ""},
		{archive, "ftp://h.test/", "", "news:a.test", false, ""},
		{archive + "exclude = [\"no\"]\n", "ftp://h.test/", "", "ftp://h.test/no", false, ""},

		{crawl, "http://h.test/a/", "", "http://h.test:80/a/b#c", false, `{"d":1,"r":"http://h.test/a/"}`},
		{crawl, "http://h.test/a/b", `{"d":7,"r":"http://h.test/a/","h":3}`, "http://h.test/a/c", false, `{"d":8,"r":"http://h.test/a/"}`},
		{crawl, "http://h.test/a/", "", "http://h.test/b", false, ""},
		{crawl + "seeds = [\"HTTP://h.test:80/b\", \"http://g.test/c/\"]\n", "http://h.test/a/", "", "http://g.test/c/d", false, `{"d":1,"r":"http://h.test/a/"}`},
		{crawl + "seeds = [\"HTTP://h.test:80/b\", \"http://g.test/c/\"]\n", "http://h.test/a/", "", "http://g.test/", false, ""},
		{crawl, "http://h.test/a/", "", "http://h.test/a/no/x", false, ""},
		{crawl, "http://h.test/a/", "", "https://h.test/a/x", false, ""},
		{crawl + "depth = 1\n", "http://h.test/", `{"d":1,"r":"http://h.test/"}`, "http://h.test/x", false, ""},
		{crawl, "http://h.test/", `{"d":1000,"r":"http://h.test/"}`, "http://h.test/x", false, ""},
		{crawl + "hosts = [\"*.test\"]\n", "http://h.test/a/", "", "http://other.test/", false, `{"d":1,"r":"http://h.test/a/"}`},
		{"task = \"crawl\"\nschemes = [\"file\", \"gopher\"]\n", "http://h.test/", "", "file://h.test/x", false, ""},
		{"task = \"crawl\"\nschemes = [\"file\", \"gopher\"]\n", "http://h.test/", "", "gopher://h.test/1", false, `{"d":1,"r":"http://h.test/"}`},
		// A seed that redirects to another site is replaced by that; anything else stays in the scope. The depth is the same.
		{crawl, "http://h.test/a/", "", "http://h.test/a/b", true, `{"r":"http://h.test/a/","h":1}`},
		{crawl, "http://h.test/a/", "", "https://www.h.test/b", true, `{"r":"https://www.h.test/b","h":1}`},
		{crawl, "http://h.test/a/", "", "https://www.h.test/no", true, ""},
		{crawl, "http://h.test/a/", "", "file://h.test/b", true, ""},
		{crawl, "http://h.test/a/b", `{"d":1,"r":"http://h.test/a/","h":2}`, "http://h.test/a/c", true, `{"d":1,"r":"http://h.test/a/","h":3}`},
		{crawl, "http://h.test/a/b", `{"d":1,"r":"http://h.test/a/"}`, "http://www.h.test/", true, ""},
		{crawl, "http://h.test/a/b", `{"d":1,"r":"http://h.test/a/","h":10}`, "http://h.test/a/c", true, ""},
	} {
		f, err := readJob(jobOf(t, c.job))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		w := &worker{client: fetch.New(schemes.All(nil)...), job: f}
		x, err := w.finder(&batch.Item{URI: uri.MustParse(c.from), Note: json.RawMessage(c.note)}, func(_ uri.URI, note json.RawMessage) (bool, error) {
			got = string(note)
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if c.redirects {
			err = x.redirect([]fetch.Referral{{URI: uri.MustParse(c.to)}})
		} else {
			err = x.add(uri.MustParse(c.to), false)
		}
		if tooMany := x.note.Hops == maxHops; got != c.want || (err != nil) != tooMany {
			t.Errorf("%s, from %s to %s: got %q, %v, want %q", c.job, c.from, c.to, got, err, c.want)
		}
	}
}

// A crawl reads pages, gemtext, menus and listings, each below its seed.
func TestCrawlOfSchemes(t *testing.T) {
	long(t, "it carries out a job")
	var seeds []string
	for _, s := range servers(t, "http", "gopher", "gemini", "ftp") {
		seeds = append(seeds, s.URL+map[bool]string{true: "/1/history", false: "/history/"}[strings.HasPrefix(s.URL, "gopher")])
	}
	job := jobOf(t, fmt.Sprintf("task = \"crawl\"\npartitions = 4\ntofu = true\nseeds = [\"%s\"]\n", strings.Join(seeds, `", "`)))
	derefd(t, 0, "run", job)
	out, _ := derefd(t, 0, "results", job)
	for _, seed := range seeds {
		scheme, _, _ := strings.Cut(seed, ":")
		if n := strings.Count(out, `"uri":"`+scheme+":"); n < 3 {
			t.Errorf("got %d results below %s, want some:\n%s", n, seed, out)
		}
	}
	if strings.Contains(out, `"error":`) {
		t.Errorf("got %s, want no errors", out)
	}
}
