package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// requestLog is a server that records the targets of requests.
func requestLog(t *testing.T) (url string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, r.RequestURI)
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "ok")
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		got := list
		list = nil
		return got
	}
}

// A typed IRI, and bytes typed in another locale, become a URI before anything else.
func TestTypedIRI(t *testing.T) {
	t.Parallel()
	url, asked := requestLog(t)
	dir := t.TempDir()
	for _, c := range []struct{ typed, want string }{
		{"/\xcd\xc9\xd2", "/%CD%C9%D2"}, // a terminal in KOI8-R
		{"/caf\xe9?\xe9", "/caf%E9?%E9"},
		{"/мир?мир=%41", "/%D0%BC%D0%B8%D1%80?%D0%BC%D0%B8%D1%80=%41"},
		{"/a b", "/a%20b"},
	} {
		out, errs, code := invoked(t, input{}, "--json", "-o", filepath.Join(dir, "out"), "--force", url+c.typed)
		if code != 0 || !strings.Contains(out, `"uri":"`+url+c.want+`"`) {
			t.Errorf("--json %q: got %s, %s, want the URI %s", c.typed, out, errs, c.want)
		}
		if got := asked(); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%q: got requests of %q, want %q", c.typed, got, c.want)
		}
	}
}
