package warc_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A capture of a part of an object, or of a search in it, answers the same request, and not one for the whole object.
func TestAsked(t *testing.T) {
	t.Parallel()
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "" {
			io.WriteString(w, "found "+r.URL.RawQuery)
			return
		}
		http.ServeContent(w, r, "a.txt", time.Time{}, strings.NewReader("0123456789"))
	}) + "/a.txt"
	ftp := ftptest.NewServer(fstest.MapFS{"a.txt": {Data: []byte("0123456789")}}, nil)
	t.Cleanup(ftp.Close)
	file := ftp.URL + "/a.txt"
	gopher := gophertest.NewServer(testdata.Site(), nil)
	t.Cleanup(gopher.Close)
	news := newstest.NewServer(testdata.Site(), nil)
	t.Cleanup(news.Close)
	for _, tt := range []struct {
		uri     string
		ask     fetch.Options
		plainly fetch.Kind // of the object, if there is only this capture
		fromAll fetch.Kind // of the part, if there is only the object
	}{
		{page, fetch.Options{Range: fetch.Range{To: 3}}, fetch.ErrRange, ""},
		{page, fetch.Options{Range: fetch.Range{From: 2, To: 4}}, fetch.ErrRange, ""},
		{page, fetch.Options{Range: fetch.Range{From: -3}}, fetch.ErrRange, ""},
		{page, fetch.Options{Op: fetch.Metadata}, fetch.ErrTruncated, ""},
		{page, fetch.Options{Search: []string{"a", "word"}}, fetch.ErrNotFound, fetch.ErrNotFound},
		{file, fetch.Options{Range: fetch.Range{To: 3}}, fetch.ErrRange, ""},
		{file, fetch.Options{Range: fetch.Range{From: 2, To: 4}}, fetch.ErrRange, ""},
		{file, fetch.Options{Range: fetch.Range{From: 2}}, fetch.ErrRange, ""},
		{file, fetch.Options{Range: fetch.Range{From: -3}}, fetch.ErrRange, ""},
		{file, fetch.Options{Range: fetch.Range{To: 10}}, "", ""}, // all of it
		{file, fetch.Options{Op: fetch.Metadata}, fetch.ErrTruncated, ""},
		{"gopher://" + gopher.Addr + "/7/search", fetch.Options{Search: []string{"ftp"}}, fetch.ErrNotFound, fetch.ErrNotFound},
		{"news://" + news.Addr + "/first.1@site.example", fetch.Options{Set: map[string][]string{"news.part": {"1"}}}, fetch.ErrNotFound,
			fetch.ErrNotFound},
	} {
		dir := t.TempDir()
		all, part := filepath.Join(dir, "all.warc"), filepath.Join(dir, "part.warc")
		whole, err := recorded(t, all, tt.uri, nil)
		if err != nil {
			t.Fatal(err)
		}
		some, err := recorded(t, part, tt.uri, &tt.ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []struct {
			names  []string
			asked  *fetch.Options
			want   string
			refuse fetch.Kind
		}{
			{[]string{all, part}, nil, whole, ""},
			{[]string{all, part}, &tt.ask, some, ""},
			{[]string{part}, &tt.ask, some, ""},
			{[]string{part}, nil, whole, tt.plainly},
			{[]string{all}, &tt.ask, some, tt.fromAll},
		} {
			got, err := replayed(t, tt.uri, from.asked, from.names...)
			if fetch.KindOf(err) != from.refuse || err == nil && got != from.want {
				t.Errorf("%s %+v, requested with %+v from %d archives: got %q, %v; want %q, %q",
					tt.uri, tt.ask, from.asked, len(from.names), got, err, from.want, from.refuse)
			}
		}
	}
}

// A part that the archive does not contain is refused.
func TestAnotherPart(t *testing.T) {
	ftp := ftptest.NewServer(fstest.MapFS{"a.txt": {Data: []byte("0123456789")}}, nil)
	t.Cleanup(ftp.Close)
	name := filepath.Join(t.TempDir(), "a.warc")
	if _, err := recorded(t, name, ftp.URL+"/a.txt", &fetch.Options{Range: fetch.Range{From: 2, To: 6}}); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[fetch.Range]string{
		{From: 2, To: 6}:   "2345",
		{From: 3, To: 5}:   "34",
		{From: -6, To: 0}:  "", // 4 to the end
		{From: 1, To: 5}:   "",
		{From: 3, To: 7}:   "",
		{From: 3, To: 0}:   "",
		{From: 20, To: 30}: "",
	} {
		got, err := replayed(t, ftp.URL+"/a.txt", &fetch.Options{Range: part}, name)
		if want == "" && fetch.KindOf(err) != fetch.ErrRange || want != "" && (got != want || err != nil) {
			t.Errorf("%+v: got %q, %v; want %q or range", part, got, err, want)
		}
	}
}

// An index answers as the archive does, although it has neither what was searched for nor the order of captures within a second.
func TestIndexLacksNothing(t *testing.T) {
	var asked atomic.Int64
	failed := "gopher://" + loopback.Reserve(t) + "/7/search"
	page := web(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "version ", asked.Add(1)) }) + "/"
	search := &fetch.Options{Search: []string{"ftp"}}
	for _, index := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "a.warc")
		w, c := recorderOf(t, name, &warc.Options{Index: index})
		defer c.Close()
		if _, err := c.Get(t.Context(), uri.MustParse(failed), search); fetch.KindOf(err) != fetch.ErrConnect {
			t.Fatalf("got %v, want %s", err, fetch.ErrConnect)
		}
		latest := ""
		for range 8 {
			latest, _ = read(c, page)
		}
		finish(t, w)
		_, err := replayed(t, failed, search, name)
		_, plain := replayed(t, failed, nil, name)
		if fetch.KindOf(err) != fetch.ErrConnect {
			t.Errorf("index %t: the search: got %v, want the captured failure", index, err)
		}
		if _, is := errors.AsType[*warc.MissingError](plain); !is {
			t.Errorf("index %t: without its words: got %v, want no capture", index, plain)
		}
		if got, err := replayed(t, page, nil, name); got != latest || err != nil {
			t.Errorf("index %t: got %q, %v; want %q", index, got, err, latest)
		}
	}
}

// Captures of one time are told apart by their URIs, and only their own records are read.
func TestCapturesOfOneTime(t *testing.T) {
	site := ftpSite(t)
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, index := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "a.warc")
		capture(t, name, &warc.Options{Index: index, Date: func(*fetch.Plan) time.Time { return at }}, nil, site+"/pub/a.txt", site+"/pub/")
		c := readerOf(t, name)
		defer c.Close()
		d, err := c.Get(t.Context(), uri.MustParse(site+"/pub/a.txt"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.Body.Close(); d.Entries != nil {
			t.Errorf("index %t: got entries of the file, want those of the listing after it only there", index)
		}
	}
}

// The target of a search over HTTP is the URI with the words.
func TestTargetOfSearch(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "found") })
	name := filepath.Join(t.TempDir(), "a.warc")
	if _, err := recorded(t, name, page+"/index?old", &fetch.Options{Search: []string{"a", "word"}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range records(t, name)[1:] {
		if r.Target() != page+"/index?a+word" {
			t.Errorf("%s: got %s, want %s", r.Type(), r.Target(), page+"/index?a+word")
		}
	}
}

// recorded dereferences u with o and writes an archive of it.
func recorded(t *testing.T, name, u string, o *fetch.Options) (string, error) {
	t.Helper()
	w, c := recorderOf(t, name, nil)
	defer c.Close()
	text, err := all(t, c, u, o)
	if cerr := w.Close(); cerr != nil {
		t.Fatalf("got %v, want cerr nil", cerr)
	}
	return text, err
}

// replayed returns the archived document for u with o.
func replayed(t *testing.T, u string, o *fetch.Options, names ...string) (string, error) {
	t.Helper()
	c := readerOf(t, names...)
	defer c.Close()
	got, err := all(t, c, u, o)
	_, later := opened(t, warc.OpenSparse, names...)
	sparse, serr := all(t, later, u, o)
	if sparse != got || fetch.KindOf(serr) != fetch.KindOf(err) {
		t.Errorf("%s of %v: OpenSparse got %q, %v; want %q, %v as with OpenArchive", u, names, sparse, serr, got, err)
	}
	return got, err
}

// all returns the Body of u.
func all(t *testing.T, c *fetch.Client, u string, o *fetch.Options) (string, error) {
	d, err := c.Get(t.Context(), uri.MustParse(u), o)
	if err != nil {
		return "", err
	}
	defer d.Body.Close()
	if o != nil && o.Op == fetch.Metadata {
		return "", nil
	}
	b, err := io.ReadAll(d.Body)
	return string(b), err
}

// A revisit whose original is in a missing file is answered by another record of that URI with the same payload.
func TestRevisitOfAnotherFile(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "a document") }) + "/"
	dir := t.TempDir()
	capture(t, filepath.Join(dir, "b.warc"), nil, nil, page)
	capture(t, filepath.Join(dir, "a.warc"), &warc.Options{Size: 1}, nil, page, page)
	revisit := filepath.Join(dir, "a-00001.warc")
	if got := types(records(t, revisit)); got != "warcinfo revisit request" {
		t.Fatalf("got %v, want \"warcinfo revisit request\"", got)
	}
	if _, err := replayed(t, page, nil, revisit); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("alone: got %v, want ErrNotFound", err)
	}
	if got, err := replayed(t, page, nil, filepath.Join(dir, "b.warc"), revisit); got != "a document" || err != nil {
		t.Errorf("got %q, %v; want \"a document\"", got, err)
	}
}

// What a document lacks, which is known only at its end, is archived, too.
func TestMissing(t *testing.T) {
	var list []string
	for i := range 3 {
		list = append(list, fmt.Sprintf("Path: x\r\nFrom: a@t.example\r\nNewsgroups: t.one\r\nSubject: s\r\nDate: 1 Dec 1994 10:00:00 +0000\r\nMessage-ID: <%d@t.example>\r\n\r\ntext\r\n", i))
	}
	news := newstest.NewServer(nil, &newstest.Options{Articles: list, Cancelled: []string{"t.one/2"}})
	t.Cleanup(news.Close)
	u := "news://" + news.Addr + "/t.one"
	name := filepath.Join(t.TempDir(), "a.warc")
	if _, err := recorded(t, name, u, nil); err != nil {
		t.Fatal(err)
	}
	c := readerOf(t, name)
	defer c.Close()
	d, err := c.Get(t.Context(), uri.MustParse(u), nil)
	if err != nil || d.Missing != 1 {
		t.Fatalf("got %+v, %v; want Missing 1", d, err)
	}
	d.Body.Close()
}
