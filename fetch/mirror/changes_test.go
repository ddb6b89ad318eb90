package mirror_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

// files is a tree of files; the age of each is in its content.
func files(all map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range all {
		m[name] = &fstest.MapFile{Data: []byte(text), ModTime: time.Date(1995, 1, 1, 0, 0, len(text), 0, time.UTC)}
	}
	return m
}

// TestChanges: new and changed documents are saved, missing ones are deleted only with Delete, and a dry run only reports that.
func TestChanges(t *testing.T) {
	site := files(map[string]string{"a.txt": "a", "b.txt": "b", "d/c.txt": "c", "e/f.txt": "f",
		"page.html": "<a href=/a.txt>"}) // whose link is changed
	f := ftptest.NewServer(site, nil)
	defer f.Close()
	dir := t.TempDir()
	run(t, f.URL+"/", dir, nil)
	delete(site, "b.txt")
	delete(site, "d/c.txt")
	site["a.txt"] = &fstest.MapFile{Data: []byte("anew"), ModTime: time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC)}
	site["new.txt"] = &fstest.MapFile{Data: []byte("n"), ModTime: time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC)}

	before := tree(t, dir)
	manifest, _ := os.ReadFile(filepath.Join(dir, ".deref/manifest.jsonl"))
	var reported []string
	sum := run(t, f.URL+"/", dir, &mirror.Options{DryRun: true, Delete: true, Done: func(e mirror.Event) {
		if e.Did != mirror.Read && e.Did != mirror.Unchanged {
			reported = append(reported, string(e.Did)+" "+strings.TrimPrefix(e.URI.String(), f.URL))
		}
	}})
	slices.Sort(reported)
	if want := []string{"deleted /b.txt", "deleted /d/c.txt", "saved /a.txt", "saved /new.txt"}; !slices.Equal(reported, want) ||
		sum.Saved != 2 || sum.Unchanged != 2 {
		t.Errorf("dry: got %q, %+v; want reported %v, Saved 2 and Unchanged 2", reported, sum, want)
	}
	after, _ := os.ReadFile(filepath.Join(dir, ".deref/manifest.jsonl"))
	if !maps.Equal(before, tree(t, dir)) || string(manifest) != string(after) {
		t.Error("a dry run changed the directory")
	}
	none := filepath.Join(t.TempDir(), "none")
	if sum := run(t, f.URL+"/", none, &mirror.Options{DryRun: true}); sum.Saved != 4 {
		t.Errorf("got %+v, want Saved 4", sum)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a dry run created the directory")
	}

	if sum := run(t, f.URL+"/", dir, nil); sum.Saved != 2 || sum.Unchanged != 2 || sum.Deleted != 0 {
		t.Errorf("got %+v, want Saved 2, Unchanged 2 and Deleted 0", sum)
	}
	if got := tree(t, dir); got["a.txt"] != "anew" || got["b.txt"] != "b" || got["d/c.txt"] != "c" {
		t.Errorf("%q", got)
	}
	if sum := run(t, f.URL+"/", dir, &mirror.Options{Delete: true}); sum.Deleted != 2 || sum.Unchanged != 4 {
		t.Errorf("got %+v, want Deleted 2 and Unchanged 4", sum)
	}
	if got := namesIn(t, dir); got != "a.txt e/f.txt e/index.html index.html new.txt page.html" {
		t.Errorf("got %s, want \"a.txt e/f.txt e/index.html index.html new.txt page.html\"", got)
	}
	os.Remove(filepath.Join(dir, "e/f.txt"))
	if sum := run(t, f.URL+"/", dir, nil); sum.Saved != 1 {
		t.Errorf("what somebody has removed does not come back: got %+v, want Saved 1", sum)
	}
}

// clockOf formats a listing in a time zone that is the given hours from UTC. Old dates have no time, and recent ones no seconds.
func clockOf(hours int) ftptest.Dialect {
	zone, recent := time.FixedZone("", hours*3600), time.Now().AddDate(0, 0, -100)
	return func(l ftptest.Listing) []string {
		var out []string
		for _, fi := range l.Entries {
			at := fi.ModTime().In(zone).Format("Jan _2  2006")
			if fi.ModTime().After(recent) {
				at = fi.ModTime().In(zone).Format("Jan _2 15:04")
			}
			out = append(out, fmt.Sprintf("-rw-r--r-- 1 ftp ftp %d %s %s", fi.Size(), at, fi.Name()))
		}
		return out
	}
}

// TestSinceWithClocksOfListings: a listing contains only days, or the server's own clock, so the document's time is requested if it might
// be young enough.
func TestSinceWithClocksOfListings(t *testing.T) {
	since := time.Date(1994, 12, 20, 6, 0, 0, 0, time.UTC)
	for _, hours := range []int{-12, 0, 14} {
		f := ftptest.NewServer(fstest.MapFS{
			"young.txt":  {Data: []byte("y"), ModTime: since.Add(6 * time.Hour)},
			"younger.md": {Data: []byte("y"), ModTime: since.Add(60 * time.Hour)},
			"old.txt":    {Data: []byte("o"), ModTime: since.Add(-time.Hour)},
			"older.txt":  {Data: []byte("o"), ModTime: since.Add(-60 * time.Hour)},
		}, &ftptest.Options{NoMLSD: true, List: clockOf(hours)})
		dir := t.TempDir()
		run(t, f.URL+"/", dir, &mirror.Options{Since: since})
		if got := namesIn(t, dir); got != "index.html young.txt younger.md" {
			t.Errorf("%d hours: got %s, want \"index.html young.txt younger.md\"", hours, got)
		}
		if commands := f.Transcript(); slices.Contains(commands, "RETR older.txt") {
			t.Errorf("%d hours: requested a document that is too old by any clock", hours)
		}
		f.Close()
	}
}

// TestChangeWithinTheMinute: a listing with minutes does not distinguish two versions of one minute.
func TestChangeWithinTheMinute(t *testing.T) {
	minute := time.Now().UTC().Truncate(time.Minute).Add(-time.Minute)
	site := fstest.MapFS{"a.txt": {Data: []byte("one"), ModTime: minute.Add(5 * time.Second)}}
	f := ftptest.NewServer(site, &ftptest.Options{NoMLSD: true, List: clockOf(0)})
	defer f.Close()
	dir := t.TempDir()
	run(t, f.URL+"/", dir, nil)
	site["a.txt"] = &fstest.MapFile{Data: []byte("two"), ModTime: minute.Add(40 * time.Second)}
	if sum := run(t, f.URL+"/", dir, nil); sum.Saved != 1 || tree(t, dir)["a.txt"] != "two" {
		t.Errorf("got %+v, %q; want the new version", sum, tree(t, dir))
	}
	if sum := run(t, f.URL+"/", dir, nil); sum.Saved != 0 || sum.Unchanged != 1 {
		t.Errorf("got %+v, want Saved 0 and Unchanged 1", sum)
	}
}

// TestOtherDateOfListing: after half a year a listing contains the day in place of the minute. The document is not requested again for that.
func TestOtherDateOfListing(t *testing.T) {
	var form atomic.Value
	form.Store("Jan _2 15:04")
	site := fstest.MapFS{"a.txt": {Data: []byte("one"), ModTime: time.Now().Add(-50 * time.Hour)}}
	f := ftptest.NewServer(site, &ftptest.Options{NoMLSD: true, List: func(l ftptest.Listing) []string {
		return []string{"-rw-r--r-- 1 ftp ftp 3 " + l.Entries[0].ModTime().UTC().Format(form.Load().(string)) + " a.txt"}
	}})
	defer f.Close()
	dir := t.TempDir()
	run(t, f.URL+"/", dir, nil)
	form.Store("Jan _2  2006")
	for range 3 {
		if sum := run(t, f.URL+"/", dir, nil); sum.Unchanged != 1 {
			t.Errorf("got %+v, want Unchanged 1", sum)
		}
	}
	asked := 0
	for _, line := range f.Transcript() {
		if line == "MDTM a.txt" {
			asked++
		}
	}
	if asked != 1 { // with the document
		t.Errorf("got %d requests, want 1: %q", asked, f.Transcript())
	}
}

// TestDeleteKnows: nothing is removed unless it is known that the server no longer has it.
func TestDeleteKnows(t *testing.T) {
	w := newWeb(t, map[string]string{"/": `<a href=p.html>p</a>`, "/p.html": `<a href=q.txt>q</a>`, "/q.txt": "q", "/robots.txt": ""})
	dir := t.TempDir()
	run(t, w.root, dir, nil)
	for name, o := range map[string]*mirror.Options{
		"steps":  {Delete: true, Depth: 1},
		"number": {Delete: true, Number: 2},
		"leave":  {Delete: true, Exclude: pattern(t, "q*")},
	} {
		if sum := run(t, w.root, dir, o); sum.Deleted != 0 {
			t.Errorf("%s: got %+v, want Deleted 0", name, sum)
		}
	}
	w.pages["/p.html"] = "no link"
	if sum := run(t, w.root, dir, &mirror.Options{Delete: true}); sum.Deleted != 0 || sum.Kept != 1 {
		t.Errorf("a page without a link does not prove that the document is gone: got %+v, want Deleted 0 and Kept 1", sum)
	}
	delete(w.pages, "/q.txt")
	if sum := run(t, w.root, dir, &mirror.Options{Delete: true}); sum.Deleted != 1 || sum.Kept != 0 {
		t.Errorf("got %+v, want Deleted 1 and Kept 0", sum)
	}
	w.pages["/"] = `<a href=p.html>changed</a>`
	delete(w.pages, "/p.html")
	if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir, &mirror.Options{Delete: true}); err != nil ||
		sum.Deleted != 1 || sum.Failed != 1 {
		t.Errorf("got %+v, %v; want Deleted 1 and Failed 1", sum, err)
	}
	delete(w.pages, "/")
	if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir,
		&mirror.Options{Delete: true, Since: time.Now()}); err != nil || sum.Failed != 1 {
		t.Errorf("got %+v, %v; want Failed 1", sum, err)
	}
}

// TestDeleteWithoutRoot: if the root no longer exists, nothing is removed.
func TestDeleteWithoutRoot(t *testing.T) {
	site := files(map[string]string{"d/a.txt": "a", "d/b.txt": "b", "other.txt": "o"})
	f := ftptest.NewServer(site, nil)
	defer f.Close()
	dir := t.TempDir()
	run(t, f.URL+"/d/", dir, nil)
	for name, o := range map[string]*mirror.Options{"since": {Delete: true, Since: time.Now()}, "": {Delete: true}} {
		if name == "" {
			delete(site, "d/a.txt")
			delete(site, "d/b.txt")
		}
		sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(f.URL+"/d/"), dir, o)
		if err != nil || sum.Deleted > 0 || namesIn(t, dir) != "a.txt b.txt index.html" {
			t.Errorf("%s: got %+v, %v, %s; want Deleted 0 and namesIn(t, dir) \"a.txt b.txt index.html\"",
				name, sum, err, namesIn(t, dir))
		}
	}
}

// TestNewArticlesOnly: only articles after the last known one are requested.
func TestNewArticlesOnly(t *testing.T) {
	article := func(n int) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "From: a@b.example\nSubject: s\nDate: Tue, 20 Dec 1994 12:00:00 +0000\n"+
			"Message-ID: <%d@h>\nNewsgroups: g.h\n\ntext\n", n)}
	}
	site := fstest.MapFS{"news/g.h/1": article(1), "news/g.h/2": article(2)}
	o := &newstest.Options{Addr: loopback.Reserve(t)}
	s := newstest.NewServer(site, o)
	dir := t.TempDir()
	root := func(s *newstest.Server) string { return "news://" + s.Addr + "/g.h" }
	if sum := run(t, root(s), dir, nil); sum.Saved != 2 {
		t.Errorf("got %+v, want Saved 2", sum)
	}
	s.Close()
	site["news/g.h/3"] = article(3)
	s = newstest.NewServer(site, o)
	defer s.Close()
	if sum := run(t, root(s), dir, nil); sum.Saved != 1 || sum.Unchanged != 0 {
		t.Errorf("got %+v, want Saved 1 and Unchanged 0", sum)
	}
	if got := namesIn(t, dir); got != "1 2 3 index.html" {
		t.Errorf("got %s, want \"1 2 3 index.html\"", got)
	}
}
