package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/cache"
	"example.org/deref/uri"
)

func cachedClient(t *testing.T, dir string) *fetch.Client {
	t.Helper()
	store, err := cache.Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(http.Schemes(&http.Config{Cache: store})...)
	t.Cleanup(func() { c.Close() })
	return c
}

func date(ago time.Duration) string {
	return time.Now().Add(-ago).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
}

// TestCache sends two requests (or as many as there are responses), and checks what the server received.
func TestCache(t *testing.T) {
	body := "Content-Length: 5\r\n\r\nfirst" + keepOpen
	second := ok + "Content-Length: 6\r\n\r\nsecond" + keepOpen
	now := "Date: " + date(0) + "\r\n"
	for _, c := range []struct {
		name    string
		answers []string
		header  string // of the second request
		seen    int
		sent    string // in the second request
		want    string
		kind    fetch.Kind
	}{
		{"stale",
			[]string{ok + now + "Cache-Control: max-age=0\r\nETag: \"x\"\r\n" + body, "HTTP/1.1 304 Not Modified\r\nX-New: 1\r\n\r\n" + keepOpen}, "", 2, "If-None-Match: \"x\"\r\n", "first", ""},
		{"changed", []string{ok + now + "Cache-Control: no-cache\r\nLast-Modified: " + date(time.Hour) + "\r\n" + body, second}, "", 2,
			"If-Modified-Since: ", "second", ""},
		{"vary", []string{ok + now + "Vary: X-A\r\nCache-Control: max-age=60\r\n" + body, second}, "X-A: 2", 2, "", "second", ""},
		{"vary alike", []string{ok + now + "Vary: Accept, User-Agent\r\nCache-Control: max-age=60\r\n" + body, second}, "X-A: 2", 1, "", "first",
			""},
		{"stale-if-error",
			[]string{ok + now + "Cache-Control: max-age=0, stale-if-error=60\r\nETag: \"x\"\r\n" + body, "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n"}, "", 2, "", "first", ""},
		{"stale, server gone", []string{ok + now + "Cache-Control: max-age=0, stale-if-error=60\r\nETag: \"x\"\r\n" + body, ""}, "", 2, "",
			"first", ""},
		{"error", []string{ok + now + "Cache-Control: max-age=0\r\nETag: \"x\"\r\n" + body, "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n"},
			"", 2, "", "", fetch.ErrUnavailable},
		{"condition of the user", []string{ok + now + "Cache-Control: max-age=0\r\nETag: \"x\"\r\n" + body, "HTTP/1.1 304 Not Modified\r\n\r\n"},
			"if-none-match: \"y\"", 2, "", "", ""},
		{"redirect", []string{"HTTP/1.1 301 Moved\r\nLocation: /b\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\nmoved" + keepOpen,
			ok + now + "Cache-Control: max-age=60\r\n" + body}, "", 2, "GET /b ", "first", ""},
		{"redirect without a body", []string{"HTTP/1.1 308 Moved\r\nLocation: /b\r\nCache-Control: max-age=60\r\nContent-Length: 0\r\n\r\n" + keepOpen,
			ok + now + "Cache-Control: max-age=60\r\n" + body}, "", 2, "GET /b ", "first", ""},
		{"redirect in chunks", []string{"HTTP/1.1 301 Moved\r\nLocation: /b\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"5\r\nmoved\r\n0\r\n\r\n" + keepOpen, ok + now + "Cache-Control: max-age=60\r\n" + body}, "", 2, "GET /b ", "first", ""},
		{"cut", []string{ok + now + "Cache-Control: max-age=60\r\nContent-Length: 9\r\n\r\nfirst", second}, "", 2, "", "second", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script(t, c.answers...)
			dir := t.TempDir()
			get(t, cachedClient(t, dir), "http://"+s.Addr()+"/", nil)
			o := &fetch.Options{}
			if c.header != "" {
				o.Set = map[string][]string{"http.header": {c.header}}
			}
			d, got, err := get(t, cachedClient(t, dir), "http://"+s.Addr()+"/", o)
			if c.kind == "" && err != nil || c.kind != "" && !errors.Is(err, c.kind) || got != c.want {
				t.Fatalf("got %q, %v, want %q, kind %q", got, err, c.want, c.kind)
			}
			s.mu.Lock()
			n := len(s.requests)
			s.mu.Unlock()
			if n != c.seen && c.name != "stale, server gone" {
				t.Errorf("got %d requests, want %d", n, c.seen)
			}
			if c.sent != "" && !strings.Contains(s.request(t, 1), c.sent) {
				t.Errorf("got the request %q, want one with %q", s.request(t, 1), c.sent)
			}
			if got == "first" && (d.Size != 5 || d.Header.Get("Age") == "") {
				t.Errorf("got %+v, want size 5 and an Age", d)
			}
		})
	}
}

// A document is returned although the disk of the cache is gone: the server has confirmed it, and the entry is open.
func TestCacheThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Etag", `"x"`)
		if r.Header.Get("If-None-Match") != "" {
			os.RemoveAll(dir)
			w.WriteHeader(nethttp.StatusNotModified)
			return
		}
		io.WriteString(w, "first")
	}))
	defer s.Close()
	for range 2 {
		if _, got, err := get(t, cachedClient(t, dir), s.URL, nil); got != "first" || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, "first")
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("the response was not confirmed: the directory is there")
	}
}

func TestPromise7CacheLeavesCredentialsAlone(t *testing.T) {
	answer := ok + "Cache-Control: max-age=60\r\nContent-Length: 1\r\n\r\nx" + keepOpen
	s := script(t, answer, answer, answer)
	c := cachedClient(t, t.TempDir())
	for range 3 {
		get(t, c, "http://"+s.Addr()+"/", &fetch.Options{Set: map[string][]string{"http.credential-header": {"Cookie: a=b"}}})
	}
	s.request(t, 2)
}

// A coded response is stored for requests that accept codings, even if the server does not name Accept-Encoding in Vary.
func TestCacheOfCodedResponses(t *testing.T) {
	gz := pack(t, "gzip", "first")
	head := ok + "Date: " + date(0) + "\r\nCache-Control: max-age=60\r\n"
	s := script(t, fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", head, len(gz), gz)+keepOpen, head+"Content-Length: 6\r\n\r\nsecond"+keepOpen)
	c := cachedClient(t, t.TempDir())
	coded := &fetch.Options{Set: map[string][]string{"http.compressed": {"1"}}}
	for i, want := range []string{"first", "second", "first", "second"} {
		o := coded
		if i%2 == 1 {
			o = nil
		}
		if _, got, err := get(t, c, "http://"+s.Addr()+"/", o); got != want || err != nil {
			t.Errorf("request %d: got %q, %v; want %q", i, got, err, want)
		}
	}
}

// The cache directory does not contain the cookies that responses set, including those of a 304.
func TestPromise7CacheKeepsNoCookies(t *testing.T) {
	const set = "Set-Cookie: sid=OfTheServer123\r\n"
	s := script(t, ok+"Cache-Control: max-age=0\r\nETag: \"x\"\r\n"+set+"Content-Length: 1\r\n\r\nx"+keepOpen, "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n"+set+"\r\n"+keepOpen)
	dir := t.TempDir()
	c := cachedClient(t, dir)
	for range 2 {
		if _, got, err := get(t, c, "http://"+s.Addr()+"/", nil); got != "x" || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, "x")
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v, want some", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || strings.Contains(string(b), "OfTheServer123") {
			t.Errorf("%s: got %q, %v, want no cookie", f.Name(), b, err)
		}
	}
}

func TestCacheWithManyWriters(t *testing.T) {
	var answers []string
	for range 64 {
		answers = append(answers, ok+"Cache-Control: max-age=0\r\nETag: \"x\"\r\nContent-Length: 1000\r\n\r\n"+strings.Repeat("y", 1000)+keepOpen)
	}
	s := script(t, answers...)
	dir := t.TempDir()
	store, _ := cache.Open(dir, 8000)
	c := fetch.New(http.Schemes(&http.Config{Cache: store})...)
	defer c.Close()
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			d, err := c.Get(context.Background(), uri.MustParse(fmt.Sprintf("http://%s/%d", s.Addr(), i%16)), nil)
			if err != nil {
				t.Errorf("got %v, want no error", err)
				return
			}
			defer d.Body.Close()
			if b, err := io.ReadAll(d.Body); len(b) != 1000 || err != nil {
				t.Errorf("got %d bytes, %v, want 1000", len(b), err)
			}
		})
	}
	wg.Wait()
	files, _ := os.ReadDir(dir)
	size := int64(0)
	for _, f := range files {
		if info, err := f.Info(); err == nil && strings.HasSuffix(f.Name(), ".json") {
			size += info.Size() + 1000
		}
	}
	if size == 0 || size > 8000+2*1500 {
		t.Errorf("got %d bytes in %d files, want some and at most %d", size, len(files), 8000+2*1500)
	}
}
