package warc_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// An archive with an index answers as the same archive without one does, and is not read for that.
func TestIndexAnswersAsArchive(t *testing.T) {
	t.Parallel()
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/gone":
			http.NotFound(w, r)
		case r.URL.Path == "/coded" && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip"):
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, gzipped("coded"))
		default:
			io.WriteString(w, "a page")
		}
	})
	site := ftpSite(t)
	uris := []string{page + "/Page/", page + "/again?b=1&a=2", page + "/gone", page + "/coded", site + "/pub/a.txt", site + "/pub/", site + "/none",
		page + "/never"}
	for _, form := range []string{".warc", ".warc.gz", ".warc.zst"} {
		if testing.Short() && form == ".warc.zst" {
			continue
		}
		dir := t.TempDir()
		name := filepath.Join(dir, "a"+form)
		capture(t, name, &warc.Options{Index: true}, nil, uris[:len(uris)-1]...)
		b := contentOf(t, name)
		plain := filepath.Join(dir, "plain"+form)
		write(t, plain, b)
		for _, u := range uris {
			for _, o := range []*fetch.Options{nil, {Range: fetch.Range{From: 2, To: 4}}} {
				want, werr := replayed(t, u, o, plain)
				got, err := replayed(t, u, o, name)
				if got != want || fetch.KindOf(err) != fetch.KindOf(werr) {
					t.Errorf("%s: %s with %v: got %q, %v; want %q, %v", form, u, o, got, err, want, werr)
				}
			}
		}
		if got := entriesOf(t, site+"/pub/", name); got != "a.txt" {
			t.Errorf("%s: got the entries %q, want a.txt", form, got)
		}
		damaged := bytes.Replace(b, []byte("WARC-Type: warcinfo"), []byte("WARC-Type warcinfo:"), 1)
		if form == ".warc" && os.WriteFile(name, damaged, 0o600) == nil {
			later(t, strings.TrimSuffix(name, form)+".cdxj")
			if a, err := warc.OpenArchive(handlers(), name); err != nil || len(a.Damage()) > 0 {
				t.Errorf("got %v, %v; want the archive not to be read", a.Damage(), err)
			}
		}
	}
}

// later makes a file newer than all others.
func later(t *testing.T, name string) {
	t.Helper()
	soon := time.Now().Add(time.Hour)
	if err := os.Chtimes(name, soon, soon); err != nil {
		t.Fatal(err)
	}
}

func entriesOf(t *testing.T, u string, names ...string) string {
	t.Helper()
	c := readerOf(t, names...)
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(u), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	var list []string
	for e, err := range d.Entries {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.Title)
	}
	return strings.Join(list, " ")
}

// An index that is older than its archive, or of another one, is not used.
func TestStaleIndexIsNotUsed(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page "+r.URL.Path) })
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.warc"), filepath.Join(dir, "two.warc")
	capture(t, one, &warc.Options{Index: true}, nil, page+"/1")
	capture(t, two, nil, nil, page+"/2")
	index := contentOf(t, filepath.Join(dir, "one.cdxj"))
	write(t, filepath.Join(dir, "two.cdxj"), index) // of another archive
	if got, err := replayed(t, page+"/2", nil, two); got != "page /2" || err != nil {
		t.Errorf("with the index of another archive: got %q, %v; want the page", got, err)
	}
	// As indexers write that name a file by its directory, too.
	write(t, filepath.Join(dir, "one.cdxj"), bytes.ReplaceAll(index, []byte(`"one.warc"`), []byte(`"crawls/one.warc"`)))
	a, c := opened(t, warc.OpenArchive, one)
	got, err := read(c, page+"/1")
	if all := contents(t, a, warc.Query{}); got != "page /1" || err != nil || len(all) != 1 {
		t.Errorf("with an index that names directories: got %q, %v and %v; want the page by the index", got, err, all)
	}
	b := contentOf(t, two)
	write(t, one, b)
	later(t, one)
	if got, err := replayed(t, page+"/2", nil, one); got != "page /2" || err != nil {
		t.Errorf("with an older index: got %q, %v; want the page", got, err)
	}
}

// Of several captures the one of a given second answers, and otherwise the nearest complete one.
func TestCapturesAndTimes(t *testing.T) {
	files := fstest.MapFS{"a.txt": {Data: []byte("version 0\n")}}
	s := ftptest.NewServer(files, nil)
	t.Cleanup(s.Close)
	u := s.URL + "/a.txt"
	var names []string
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	dir := t.TempDir()
	for i, n := range []int{1, 10, 20} {
		for _, o := range []*warc.Options{{}, {Index: true}} {
			name := filepath.Join(dir, string(rune('a'+i))+map[bool]string{true: "-indexed"}[o.Index]+".warc")
			if files["a.txt"] = (&fstest.MapFile{Data: []byte("version " + string(rune('0'+n/10)) + "\n")}); n == 20 {
				delete(files, "a.txt")
			}
			warc.SetNow(o, func() time.Time { return day(n) })
			capture(t, name, o, nil, u)
			names = append(names, name)
		}
	}
	for _, set := range [][]string{{names[0], names[2], names[4]}, {names[1], names[3], names[5]}, {names[0], names[3], names[4]}} {
		a, c := opened(t, warc.OpenArchive, set...)
		list, err := a.Captures(uri.MustParse(u))
		if err != nil || len(list) != 3 || !list[0].Date.Equal(day(1)) || list[1].Failed || !list[2].Failed {
			t.Errorf("%v: got %+v, %v; want two documents and a failure", set, list, err)
		}
		for n, want := range map[int]string{0: "version 1\n", 1: "version 0\n", 5: "version 0\n", 7: "version 1\n", 10: "version 1\n", 19: "version 1\n",
			20: "! notfound"} {
			ctx := context.Background()
			if n > 0 {
				ctx, _ = warc.At(ctx, day(n))
			}
			got := ""
			d, err := c.Get(ctx, uri.MustParse(u), nil)
			if err == nil {
				b, _ := io.ReadAll(d.Body)
				d.Body.Close()
				got = string(b)
			} else {
				got = "! " + string(fetch.KindOf(err))
			}
			if got != want {
				t.Errorf("%v on day %d: got %q, %v; want %q", set, n, got, err, want)
			}
		}
	}
}
