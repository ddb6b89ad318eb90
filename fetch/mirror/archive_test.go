package mirror_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// smallSite has a page, a style sheet, directories and articles.
func smallSite() fstest.MapFS {
	return fstest.MapFS{
		"README.txt":          {Data: []byte("read me\n")},
		"sub/page.html":       {Data: []byte("<style>@import 's.css'</style><a href=\"../README.txt\">r</a>")},
		"sub/s.css":           {Data: []byte("a{b:url(x.bin)}")},
		"sub/x.bin":           {Data: []byte("\x00x")},
		"sub/empty.txt":       {},
		"news/g/1":            {Data: []byte("Message-ID: <one@x.example>\r\nFrom: a@x.example\r\nNewsgroups: g\r\nSubject: s\r\nDate: Tue, 20 Dec 1994 12:00:00 +0000\r\n\r\nBody\r\n")},
		"news/g/2":            {Data: []byte("Message-ID: <two@x.example>\r\nFrom: a@x.example\r\nNewsgroups: g\r\nSubject: t\r\nDate: Tue, 20 Dec 1994 12:00:00 +0000\r\n\r\nBody\r\n")},
		"news/empty/.gitkeep": {},
	}
}

// captured mirrors root into dir and returns the archive of the requests.
func captured(t *testing.T, root, dir string) *warc.Archive {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	w, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := client(t)
	c.Recorder = warc.NewRecorder(w)
	if sum, err := mirror.Run(t.Context(), c, uri.MustParse(root), dir, &mirror.Options{Commit: w.Sync}); err != nil || sum.Failed > 0 {
		t.Fatalf("%s: got %+v, %v; want Failed 0", root, sum, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive(t, name)
}

func archive(t *testing.T, name string) *warc.Archive {
	t.Helper()
	a, err := warc.OpenArchive(known(), name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// replayed mirrors root from an archive.
func replayed(t *testing.T, a *warc.Archive, root, dir string) mirror.Summary {
	t.Helper()
	c := fetch.New(a.Schemes()...)
	t.Cleanup(func() { c.Close() })
	o := &mirror.Options{IgnoreRobots: true, Lacks: func(err error) string {
		if _, ok := errors.AsType[*warc.MissingError](err); ok {
			return "not captured"
		}
		return ""
	}, Begin: func(ctx context.Context) (context.Context, func() time.Time) {
		return ctx, func() time.Time { return time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC) }
	}}
	sum, err := mirror.Run(t.Context(), c, uri.MustParse(root), dir, o)
	if err != nil || sum.Failed > 0 {
		t.Errorf("%s: got %+v, %v; want Failed 0", root, sum, err)
	}
	return sum
}

// TestFromArchive: what was captured while a mirror was made yields the same mirror, with the times of the captures, and a second run changes nothing.
func TestFromArchive(t *testing.T) {
	for scheme, root := range servers(t, smallSite()) {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			if scheme == "file" {
				t.Skip("no server is contacted")
			}
			shortened(t, scheme)
			live, dir := t.TempDir(), t.TempDir()
			a := captured(t, root, live)
			replayed(t, a, root, dir)
			want, got := tree(t, live), tree(t, dir)
			if !maps.Equal(got, want) || len(want) < 2 {
				t.Errorf("got %q, want %q", got, want)
			}
			if sum := replayed(t, a, root, dir); sum.Saved > 0 {
				t.Errorf("the second run saved %d documents, want 0", sum.Saved)
			}
			b, err := os.ReadFile(filepath.Join(dir, ".deref/manifest.jsonl"))
			if n := strings.Count(string(b), `"time":`); err != nil || n == 0 || n != strings.Count(string(b), `"time":"2001-02-03T04:05:06Z"`) {
				t.Errorf("got %s, %v, want the time 2001-02-03T04:05:06Z in all records", b, err)
			}
		})
	}
}

// shortened skips most schemes in short runs.
func shortened(t *testing.T, scheme string) {
	t.Helper()
	if testing.Short() && scheme != "news" {
		t.Skip("long runs test all schemes")
	}
}

// TestFromPartOfArchive: documents that were not captured are left out.
func TestFromPartOfArchive(t *testing.T) {
	w := newWeb(t, map[string]string{"/": `<a href=a>a</a><a href=b>b</a>`, "/a": "a", "/b": "b"})
	name := filepath.Join(t.TempDir(), "a.warc")
	out, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := client(t)
	c.Recorder = warc.NewRecorder(out)
	for _, path := range []string{"/", "/b"} {
		d, err := c.Get(t.Context(), uri.MustParse(w.root+path), nil)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, d.Body)
		d.Body.Close()
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sum := replayed(t, archive(t, name), w.root+"/", dir)
	if got := namesIn(t, dir); sum.Saved != 2 || sum.LeftOut != 1 || got != "b index.html" {
		t.Errorf("got %s and %+v, want b, index.html, Saved 2 and LeftOut 1", got, sum)
	}
}
