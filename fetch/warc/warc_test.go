package warc_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/data"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/finger"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gemini"
	"example.org/deref/schemes/gopher"
	schemehttp "example.org/deref/schemes/http"
	"example.org/deref/schemes/news"
	"example.org/deref/uri"
)

// handlers returns the schemes of the tests, which need not link all.
func handlers() []fetch.Scheme {
	return slices.Concat(schemehttp.Schemes(nil), ftp.Schemes(nil), gopher.Schemes(), news.Schemes(nil), []fetch.Scheme{data.Scheme(), file.Scheme(), finger.Scheme(), gemini.Scheme()})
}

// capture dereferences uris with a Client whose archive is name.
func capture(t *testing.T, name string, o *warc.Options, prepare func(*fetch.Client), uris ...string) {
	t.Helper()
	w, c := recorderOf(t, name, o)
	defer c.Close()
	if prepare != nil {
		prepare(c)
	}
	for _, s := range uris {
		read(c, s)
	}
	finish(t, w)
}

// recorderOf starts an archive, and returns it with a Client that writes to it.
func recorderOf(t *testing.T, name string, o *warc.Options) (*warc.Writer, *fetch.Client) {
	t.Helper()
	w, err := warc.Create(name, o)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(handlers()...)
	c.Recorder = warc.NewRecorder(w)
	return w, c
}

// finish completes an archive.
func finish(t *testing.T, w *warc.Writer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// readerOf returns a Client that reads from archives.
func readerOf(t *testing.T, names ...string) *fetch.Client {
	t.Helper()
	a, err := warc.OpenArchive(handlers(), names...)
	if err != nil {
		t.Fatal(err)
	}
	return fetch.New(a.Schemes()...)
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

func contentOf(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// read returns the Body of a URI.
func read(c *fetch.Client, s string) (string, error) {
	d, err := c.Get(context.Background(), uri.MustParse(s), nil)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(d.Body)
	return string(b), err
}

type stored struct {
	*warc.Record
	block string
}

// records reads an archive to its end.
func records(t *testing.T, name string) []stored {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []stored
	for r := warc.NewReader(f); ; {
		rec, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(rec.Block)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stored{rec, string(b)})
	}
}

func types(all []stored) string {
	var words []string
	for _, r := range all {
		words = append(words, r.Type())
	}
	return strings.Join(words, " ")
}

func web(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func ftpSite(t *testing.T) string {
	s := ftptest.NewServer(fstest.MapFS{"pub/a.txt": {Data: []byte("a document\n")}}, nil)
	t.Cleanup(s.Close)
	return s.URL
}

func TestEachFormIsReadBack(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a page") })
	files := ftpSite(t)
	for _, name := range []string{"a.warc", "a.warc.gz", "a.warc.zst"} {
		t.Run(name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), name)
			capture(t, name, nil, nil, page+"/", files+"/pub/a.txt")
			all := records(t, name)
			if got := types(all); got != "warcinfo response request resource metadata" {
				t.Fatalf("got %v, want \"warcinfo response request resource metadata\"", got)
			}
			if !strings.HasPrefix(all[1].block, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(all[1].block, "\r\n\r\na page") {
				t.Errorf("response: got %q, want block starting with %q and block ending in %q",
					all[1].block, "HTTP/1.1 200 OK\r\n", "\r\n\r\na page")
			}
			if !strings.HasPrefix(all[2].block, "GET / HTTP/1.1\r\nHost: ") {
				t.Errorf("request: got %q, want block starting with %q", all[2].block, "GET / HTTP/1.1\r\nHost: ")
			}
			if all[3].block != "a document\n" || all[3].MediaType() != "text/plain" || all[3].Target() != files+"/pub/a.txt" {
				t.Errorf("resource: got %q %v, want block %q, MediaType \"text/plain\" and Target %v",
					all[3].block, all[3].Fields, "a document\n", files+"/pub/a.txt")
			}
			s, err := dialogue.Parse(all[4].block)
			if err != nil {
				t.Fatal(err)
			}
			if text := s.String(); !strings.Contains(text, "C: RETR a.txt\n") || !strings.Contains(text, "S: 226 ") {
				t.Errorf("conversation: got %s, want containing %q and containing \"S: 226 \"", text, "C: RETR a.txt\n")
			}
			if o := warc.ParseOutcome(all[4].block); o.Kind != "whole" || o.Type != "text/plain" || o.Size != 11 {
				t.Errorf("outcome: got %+v, want Kind \"whole\", Type \"text/plain\" and Size 11", o)
			}
		})
	}
}

// long skips a test in short runs. Otherwise the test runs next to others.
func long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
	t.Parallel()
}
