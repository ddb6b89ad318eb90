package mirror_test

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/uri"
)

func openCopy(t *testing.T, dir string) (*mirror.Copy, *fetch.Client) {
	t.Helper()
	stored, err := mirror.OpenCopy(dir, known())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stored.Close)
	c := fetch.New(stored.Schemes()...)
	t.Cleanup(func() { c.Close() })
	return stored, c
}

// textOf returns the document of a URI.
func textOf(t *testing.T, c *fetch.Client, u string) (string, error) {
	t.Helper()
	d, err := c.Get(t.Context(), uri.MustParse(u), nil)
	if d == nil {
		return "", err
	}
	defer d.Body.Close()
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(d.Body)
	return string(b), err
}

// TestCopy: a mirror answers for all its URIs with the original documents, so that a mirror of it is the same.
func TestCopy(t *testing.T) {
	for scheme, root := range servers(t, smallSite()) {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			shortened(t, scheme)
			first, second := t.TempDir(), t.TempDir()
			run(t, root, first, nil)
			stored, c := openCopy(t, first)
			sum, err := mirror.Run(t.Context(), c, stored.Root(), second, &mirror.Options{IgnoreRobots: true})
			if want, got := tree(t, first), tree(t, second); err != nil || sum.Failed > 0 || !maps.Equal(got, want) || len(want) < 2 {
				t.Errorf("got %q, %+v, %v, want %q", got, sum, err, want)
			}
			for s, err := range stored.URIs() {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := textOf(t, c, s.URI.String()); err != nil {
					t.Errorf("%s: %v", s.URI, err)
				}
			}
		})
	}
}

// TestCopyOfPages: the documents are those of the server, with its charset, also if their links were changed; redirects are followed.
func TestCopyOfPages(t *testing.T) {
	site := offlineSite()
	s := serveSite(t, site)
	dir := t.TempDir()
	if _, err := mirror.Run(t.Context(), client(t), uri.MustParse(s.URL+"/"), dir, offlineOptions()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, c := openCopy(t, dir)
	for at, want := range map[string]string{"/koi8": site["/koi8"].body, "/css/imported.css": site["/css/imported.css"].body, "/dir": site["/dir/"].body} {
		if got, err := textOf(t, c, s.URL+at); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", at, got, err, want)
		}
	}
	d, err := c.Get(t.Context(), uri.MustParse(s.URL+"/koi8"), nil)
	if err != nil || d.ContentType() != "text/html; charset=koi8-r" || d.Validator.Tag == "" {
		t.Errorf("got %+v, %v, want text/html; charset=koi8-r with a validator", d, err)
	}
	d.Body.Close()
	for _, u := range []string{s.URL + "/none", "http://other.invalid/x"} {
		if _, err := textOf(t, c, u); fetch.KindOf(err) != fetch.ErrNotFound {
			t.Errorf("%s: got %v, want notfound", u, err)
		}
	}
}

// TestCopyOfArticle: an article that was saved by its number is found by its Message-ID.
func TestCopyOfArticle(t *testing.T) {
	root := servers(t, smallSite())["news"]
	dir := t.TempDir()
	run(t, root, dir, nil)
	_, c := openCopy(t, dir)
	for _, u := range []string{"news:two@x.example", strings.TrimSuffix(root, "*") + "two@x.example"} {
		if got, err := textOf(t, c, u); err != nil || !strings.Contains(got, "Subject: t") {
			t.Errorf("%s: got %q, %v, want the article with Subject: t", u, got, err)
		}
	}
	if got, err := textOf(t, c, "news:three@x.example"); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("got %q, %v, want notfound", got, err)
	}
}

// openFiles returns how many files in dir are open, where the system shows that.
func openFiles(dir string) (n int) {
	list, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range list {
		if to, _ := os.Readlink(fd); strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}

// TestCopyWasChanged: bytes that are not those of the manifest are an error, not a document.
func TestCopyWasChanged(t *testing.T) {
	w := newWeb(t, map[string]string{"/": "<a href=a.txt><a href=b.txt><a href=c.txt><a href=d/e.txt>", "/a.txt": "aaa", "/b.txt": "bbb", "/c.txt": "ccc",
		"/d/e.txt": "eee"})
	dir := t.TempDir()
	run(t, w.root+"/", dir, nil)
	for name, text := range map[string]string{"a.txt": "AAA", "b.txt": "longer"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "c.txt")); err != nil {
		t.Fatal(err)
	}
	if os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "f")) != nil || os.Symlink("f", filepath.Join(dir, "d")) != nil {
		t.Log("no links here: d is only missing")
	}
	_, c := openCopy(t, dir)
	before := openFiles(dir)
	for at, want := range map[string]fetch.Kind{"/a.txt": fetch.ErrChanged, "/b.txt": fetch.ErrLocal, "/c.txt": fetch.ErrLocal, "/d/e.txt": fetch.ErrLocal} {
		if got, err := textOf(t, c, w.root+at); fetch.KindOf(err) != want {
			t.Errorf("%s: got %q, %v, want %s", at, got, err, want)
		}
	}
	if n := openFiles(dir); n != before {
		t.Errorf("got %d open files, want %d", n, before)
	}
	if _, err := mirror.OpenCopy(t.TempDir(), nil); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("an empty directory: got %v, want %s", err, fetch.ErrLocal)
	}
}
