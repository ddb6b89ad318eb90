package watch_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/fetch/watch"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	schemehttp "example.org/deref/schemes/http"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

// newWatcher returns a Watcher of text views.
func newWatcher(t *testing.T) *watch.Watcher {
	t.Helper()
	c := fetch.New(slices.Concat(schemehttp.Schemes(nil), ftp.Schemes(nil), news.Schemes(nil))...)
	t.Cleanup(func() { c.Close() })
	return &watch.Watcher{Client: c, View: func(w io.Writer, d *fetch.Document) error {
		return render.View(w, d, render.Text, &render.Options{Terminal: true, Page: htmltext.Render})
	}}
}

// check checks a URI and returns the verdict and the Record.
func check(t *testing.T, w *watch.Watcher, at string, old *watch.Record) (watch.Result, *watch.Record) {
	t.Helper()
	r, err := w.Check(t.Context(), uri.MustParse(at), old)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	return r, &r.Record
}

// A changing file system.
type files struct {
	mu sync.Mutex
	fstest.MapFS
}

func (f *files) Open(name string) (fs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.MapFS.Open(name)
}

func (f *files) set(name, text string, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.MapFS[name] = &fstest.MapFile{Data: []byte(text), ModTime: at}
}

// An unchanged file of an FTP server is not transferred: MDTM and SIZE suffice.
func TestFTPFileIsNotTransferred(t *testing.T) {
	t.Parallel()
	f := &files{MapFS: fstest.MapFS{}}
	f.set("a.txt", "one\n", time.Date(1994, 12, 20, 0, 0, 0, 0, time.UTC))
	s := ftptest.NewServer(f, nil)
	t.Cleanup(func() { s.Close() })
	w := newWatcher(t)
	r, old := check(t, w, s.URL+"/a.txt", nil)
	if r.Verdict != watch.First {
		t.Errorf("got %s, want first", r.Verdict)
	}
	for range 2 {
		if r, old = check(t, w, s.URL+"/a.txt", old); r.Verdict != watch.Same {
			t.Errorf("got %s, want same", r.Verdict)
		}
	}
	f.set("a.txt", "two\n", time.Date(1994, 12, 21, 0, 0, 0, 0, time.UTC))
	r, _ = check(t, w, s.URL+"/a.txt", old)
	if want := "@@ -1,1 +1,1 @@\n-one\n+two\n"; r.Verdict != watch.Changed || !strings.HasSuffix(string(r.Diff), want) {
		t.Errorf("got %s and %q, want changed and %q", r.Verdict, r.Diff, want)
	}
	if n := strings.Count(strings.Join(s.Transcript(), "\n"), "RETR "); n != 2 {
		t.Errorf("got %d transfers, want 2: the first and the changed file", n)
	}
}

// An unchanged newsgroup costs the reply to GROUP, also if the first check failed.
func TestNewsgroupIsNotListed(t *testing.T) {
	t.Parallel()
	article := func(n int) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "From: a@h\nSubject: s%d\nNewsgroups: g\nMessage-ID: <%d@h>\nDate: Tue, 20 Dec 1994 12:00:00 +0000\n\nText\n", n, n)}
	}
	one := fstest.MapFS{"g/1": article(1)}
	two := fstest.MapFS{"g/1": article(1), "g/2": article(2)}
	overviews := 0
	old := &watch.Record{URI: "news://h/g", Failed: fetch.ErrConnect}
	w := newWatcher(t)
	for i, c := range []struct {
		fsys fs.FS
		want watch.Verdict
	}{{one, watch.First}, {one, watch.Same}, {two, watch.Changed}, {two, watch.Same}} {
		s := newstest.NewServer(c.fsys, nil)
		t.Cleanup(func() { s.Close() })
		var r watch.Result
		if r, old = check(t, w, s.URL+"/g", old); r.Verdict != c.want {
			t.Errorf("check %d: got %s, want %s", i, r.Verdict, c.want)
		}
		s.Close()
		overviews += strings.Count(strings.Join(s.Transcript(), "\n"), "OVER ")
	}
	if overviews != 2 {
		t.Errorf("got %d overviews, want 2: the first and the changed one", overviews)
	}
}

// http: a conditional request where the server has validators, the text view where it has none, and the bytes where there is no text.
func TestHTTP(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	page, bytes, tagged, conditional := "<p>one <!-- 1 -->", "\x00\x01", "a", 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, page)
		case "/bytes":
			w.Header().Set("Content-Type", "application/octet-stream")
			io.WriteString(w, bytes)
		case "/tagged":
			w.Header().Set("Etag", `"`+tagged+`"`)
			if r.Header.Get("If-None-Match") == `"`+tagged+`"` {
				conditional++
				w.WriteHeader(304)
				return
			}
			io.WriteString(w, tagged)
		default:
			w.WriteHeader(404)
		}
	}))
	t.Cleanup(s.Close)
	w := newWatcher(t)
	records := map[string]*watch.Record{}
	expect := func(want ...watch.Verdict) {
		t.Helper()
		for i, path := range []string{"/page", "/bytes", "/tagged"} {
			r, err := w.Check(t.Context(), uri.MustParse(s.URL+path), records[path])
			if err != nil || r.Verdict != want[i] {
				t.Errorf("%s: got %s, %v; want %s", path, r.Verdict, err, want[i])
			}
			records[path] = &r.Record
		}
	}
	change := func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		f()
	}
	expect(watch.First, watch.First, watch.First)
	expect(watch.Same, watch.Same, watch.Same)
	change(func() { page = "<p>one <!-- 2 -->" })
	expect(watch.Same, watch.Same, watch.Same)
	change(func() { page, bytes, tagged = "<p>two", "\x00\x02", "b" })
	expect(watch.Changed, watch.Changed, watch.Changed)
	expect(watch.Same, watch.Same, watch.Same)
	if conditional != 3 {
		t.Errorf("got %d responses 304, want 3", conditional)
	}
	r, err := w.Check(t.Context(), uri.MustParse(s.URL+"/none"), records["/page"])
	if r.Verdict != watch.Failed || !errors.Is(err, fetch.ErrNotFound) || r.Record.Failed != fetch.ErrNotFound || r.Record.SHA256 != records["/page"].SHA256 {
		t.Errorf("got %+v, %v; want failed and the last Record", r, err)
	}
}

// The state is private, survives its process, and belongs to one process at a time, also while it is saved and after that.
func TestState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	s, err := watch.OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	s.Set(watch.Record{URI: "http://h/", Text: "<a>\n\x01", SHA256: "x", Validator: fetch.Validator{Tag: "1"}})
	for range 30 {
		saved := make(chan error, 1)
		go func() { saved <- s.Save() }()
		for len(saved) == 0 {
			if _, err := watch.OpenState(path); fetch.KindOf(err) != fetch.ErrLocal {
				t.Fatalf("got %v, want ErrLocal: the file is in use", err)
			}
		}
		if err := <-saved; err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm()&0o077 != 0 {
		t.Errorf("got %v, %v; want a file that only its owner can read", fi.Mode(), err)
	}
	if s, err = watch.OpenState(path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r := s.Get("http://h/"); r == nil || r.Text != "<a>\n\x01" || r.Validator.Tag != "1" {
		t.Errorf("got %+v, want the Record", r)
	}
	if r := s.Get("http://other/"); r != nil {
		t.Errorf("got %+v, want none", r)
	}
}

func TestForeignState(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"notes\n", "{}\n", "[]\n"} {
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := watch.OpenState(path); fetch.KindOf(err) != fetch.ErrLocal {
			t.Errorf("%q: got %v, want ErrLocal", text, err)
		}
	}
}
