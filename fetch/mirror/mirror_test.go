package mirror_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/retry"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	httpscheme "example.org/deref/schemes/http"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/spartan"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// No test of this package leaks a goroutine. The test binary is also the process that TestKilled kills.
func TestMain(m *testing.M) {
	if root := os.Getenv("MIRROR_TEST_ROOT"); root != "" {
		after, _ := strconv.Atoi(os.Getenv("MIRROR_TEST_KILL"))
		victim(root, os.Getenv("MIRROR_TEST_DIR"), after)
		return
	}
	fetchtest.Overlap()
	goleak.VerifyTestMain(m)
}

// known returns the schemes of the tests, which need not link all.
func known() []fetch.Scheme {
	return slices.Concat(httpscheme.Schemes(nil), ftp.Schemes(nil), gopher.Schemes(), news.Schemes(nil), []fetch.Scheme{file.Scheme(), spartan.Scheme()})
}

func client(t testing.TB) *fetch.Client {
	t.Helper()
	c := fetch.New(known()...)
	t.Cleanup(func() { c.Close() })
	return c
}

// run mirrors as the command does, with retries, and expects no failure. A retry is needed if a client of another
// test, which looks for a server that has ended, connects to a data port of this one's FTP server.
func run(t *testing.T, root, dir string, o *mirror.Options) mirror.Summary {
	t.Helper()
	opts := mirror.Options{}
	if o != nil {
		opts = *o
	}
	opts.Batch.Retry = retry.Policy{Retries: 2, Delay: time.Millisecond}
	sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(root), dir, &opts)
	if err != nil || sum.Failed > 0 {
		t.Fatalf("%s: got %v; %+v, want Failed 0", root, err, sum)
	}
	return sum
}

// servers serve the whole sample site by each protocol.
func servers(t *testing.T, site fs.FS) map[string]string {
	t.Helper()
	f := ftptest.NewServer(site, nil)
	t.Cleanup(func() { f.Close() })
	g := gophertest.NewServer(site, nil)
	t.Cleanup(func() { g.Close() })
	n := newstest.NewServer(site, nil)
	t.Cleanup(func() { n.Close() })
	h := httptest.NewServer(listing(site))
	t.Cleanup(h.Close)
	dir := t.TempDir()
	if err := os.CopyFS(dir, site); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"ftp": f.URL + "/", "gopher": g.URL + "/", "news": "news://" + n.Addr + "/*", "http": h.URL + "/",
		"file": "file://" + filepath.ToSlash(dir) + "/",
	}
}

// listing is an http server that lists every directory, even one with its own page.
func listing(site fs.FS) http.Handler {
	files := http.FileServerFS(site)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		if dir := strings.Trim(r.URL.Path, "/"); strings.HasSuffix(r.URL.Path, "/") {
			if dir == "" {
				dir = "."
			}
			entries, _ := fs.ReadDir(site, dir)
			w.Header().Set("Content-Type", "text/html")
			for _, e := range entries {
				slash := ""
				if e.IsDir() {
					slash = "/"
				}
				w.Write([]byte(`<a href="` + string(uri.FirstSegment.Escape(uri.RFC3986, e.Name())) + slash + `">x</a>` + "\n"))
			}
			return
		}
		if strings.HasSuffix(r.URL.Path, "/index.html") { // FileServerFS would redirect to the directory
			http.ServeFileFS(w, &http.Request{URL: r.URL, Method: "GET", Header: r.Header}, site, strings.Trim(r.URL.Path, "/"))
			return
		}
		files.ServeHTTP(w, r)
	})
}

// tree reads a mirror without its generated files.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".deref" && name != "." {
				return fs.SkipDir
			}
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSampleSite: the mirrored sample site is the same, byte for byte, by every protocol that preserves bytes.
func TestSampleSite(t *testing.T) {
	t.Parallel()
	site := testdata.Site()
	for name, root := range servers(t, site) {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "ftp" && name != "gopher" {
				t.Skip("many files")
			}
			dir := t.TempDir()
			first := run(t, root, dir, &mirror.Options{NoIndex: true, KeepLinks: true})
			got := tree(t, dir)
			compared := 0
			err := fs.WalkDir(site, ".", func(file string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				want, err := fs.ReadFile(site, file)
				at := localName(name, file)
				have, ok := got[at]
				if at == "" {
					return err
				}
				compared++
				if !ok {
					t.Errorf("%s is missing", at)
				} else if have != asSent(name, file, want) {
					t.Errorf("%s differs: %.80q, want %.80q", at, have, want)
				}
				return err
			})
			if err != nil || compared < 5 || first.Saved < int64(compared) {
				t.Errorf("got %d files compared, %v, %+v; want compared >= 5 and Saved >= %v", compared, err, first, int64(compared))
			}
			if again := run(t, root, dir, &mirror.Options{NoIndex: true, KeepLinks: true}); again.Saved != 0 || again.Deleted != 0 {
				t.Errorf("once more: got %+v, want Saved 0 and Deleted 0", again)
			}
		})
	}
}

// localName returns the path of a site's file in the mirror, or "" if the protocol does not show it.
func localName(protocol, file string) string {
	dir, name := path.Split(file)
	if name[0] == '-' && runtime.GOOS != "linux" {
		file = dir + "_" + name[1:]
	}
	switch protocol {
	case "news":
		article, ok := strings.CutPrefix(file, "news/")
		if number := path.Base(article); !ok || number[0] > '9' {
			return ""
		}
		return article
	case "http":
		if name == "index.html" {
			return "" // the listing has its name
		}
	case "gopher":
		first, _, _ := strings.Cut(file, "/")
		if name == "gophermap" || slices.Contains([]string{"mail", "news", "index.html"}, first) || path.Ext(name) == ".abstract" {
			return "" // no menu shows it
		}
		if strings.HasPrefix(file, "a/") && !strings.HasPrefix(file, "a/b/c/d/") {
			return ""
		}
	}
	return file
}

// asSent returns a file as the protocol sends it: gopher texts and articles consist of lines.
func asSent(protocol, file string, want []byte) string {
	text := protocol == "news" || protocol == "gopher" && !slices.Contains([]string{".bin", ".gif", ".png", ".html"}, path.Ext(file))
	if !text {
		return string(want)
	}
	want = bytes.ReplaceAll(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	if len(want) > 0 && !bytes.HasSuffix(want, []byte("\n")) {
		want = append(want, "\r\n"...)
	}
	return string(want)
}

// long skips a test in short runs. Otherwise the test runs next to others.
func long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
	t.Parallel()
}
