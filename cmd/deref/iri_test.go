package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
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
	const path = "/%D0%BC%D0%B8%D1%80"

	archive := filepath.Join(dir, "a.warc")
	if _, errs, code := invoked(t, input{}, "-s", "--warc", archive, "--cdx", "-o", os.DevNull, url+"/мир"); code != 0 {
		t.Fatalf("--warc: got exit status %d, %s, want success", code, errs)
	}
	records, err := os.ReadFile(archive)
	records = bytes.Replace(records, []byte("WARC-Target-URI: urn:log:a.warc\r\n"), nil, 1)
	if want := "WARC-Target-URI: " + url + path + "\r\n"; err != nil || strings.Count(string(records), "WARC-Target-URI: ") != strings.Count(string(records), want) {
		t.Errorf("--warc: got %v, %s, want only targets %s", err, records, want)
	}
	index, err := filepath.Glob(filepath.Join(dir, "*.cdx*"))
	if err != nil || len(index) != 1 {
		t.Fatalf("--cdx: got %q, %v, want a file", index, err)
	}
	lines, err := os.ReadFile(index[0])
	if err != nil || !strings.Contains(string(lines), ")"+strings.ToLower(path)+" ") || !strings.Contains(string(lines), `"`+url+path+`"`) {
		t.Errorf("--cdx: got %v, %s, want the key %s", err, lines, strings.ToLower(path))
	}
	for _, typed := range []string{"/мир", path} {
		if out, errs, _ := invoked(t, input{}, "--from-warc", archive, url+typed); out != "ok" || errs != "" {
			t.Errorf("--from-warc %s: got %q, %s, want ok", typed, out, errs)
		}
	}
	asked()

	for _, c := range []struct{ typed, want string }{
		{"/\xcd\xc9\xd2", "/%CD%C9%D2"}, // a terminal in KOI8-R
		{"/caf\xe9?\xe9", "/caf%E9?%E9"},
		{"/мир?мир=%41", path + "?%D0%BC%D0%B8%D1%80=%41"},
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

	state := filepath.Join(dir, "state")
	for _, typed := range []string{"/мир", path} {
		if _, errs, code := invoked(t, input{}, "-Z", "-O", "--output-dir", dir, "--state", state, url+typed); code != 0 {
			t.Errorf("--state %s: got exit status %d, %s, want success", typed, code, errs)
		}
	}
	if got := asked(); !slices.Equal(got, []string{path}) {
		t.Errorf("--state: got requests of %q, want one of %s", got, path)
	}
}

// Lists of links in any encoding are read without loss.
func TestListsOfBytes(t *testing.T) {
	t.Parallel()
	url, asked := requestLog(t)
	dir := t.TempDir()
	list := filepath.Join(dir, "list.txt")
	text := url + "/caf\xe9\n" + url + "/\x93\xfa\x96{\n" + url + "/\xcd\xc9\xd2\n" + url + "/мир\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"/%93%FA%96%7B", "/%CD%C9%D2", "/%D0%BC%D0%B8%D1%80", "/caf%E9"}
	if _, errs, code := invoked(t, input{}, "-s", "-O", "--output-dir", dir, "--input", list); code != 0 {
		t.Errorf("--input: got exit status %d, %s, want success", code, errs)
	}
	if got := slices.Sorted(slices.Values(asked())); !slices.Equal(got, want) {
		t.Errorf("--input: got requests of %q\nwant %q", got, want)
	}
	if _, errs, code := invoked(t, input{}, "check", "-s", list); code != 0 {
		t.Errorf("check: got exit status %d, %s, want success", code, errs)
	}
	if got := slices.Compact(slices.Sorted(slices.Values(asked()))); !slices.Equal(got, want) {
		t.Errorf("check: got requests of %q\nwant %q", got, want)
	}
}

// A host without an ASCII form is refused before anything is contacted, also before a proxy.
func TestHostsWithoutASCII(t *testing.T) {
	t.Parallel()
	proxy, asked := requestLog(t)
	for _, typed := range []string{
		"http://m%FCnchen.example/", "https://m%FCnchen.example/", "gopher://m%FCnchen.example/", "http://m\xfcnchen.example/", "https://a\u202eb.example/",
		"ftp://a%E2%80%AEb.example/", "gopher://a℀b.example/", "http://%EF%BF%BD.example/", "http://a／b.example/", "http://1א.example/",
	} {
		_, errs, code := invoked(t, input{}, "--proxy", proxy, typed)
		if code == 0 || !strings.HasPrefix(errs, "deref: refused-url: the host ") || !strings.Contains(errs, " has no ASCII form") {
			t.Errorf("%q: got exit status %d, %s, want refused-url", typed, code, errs)
		}
	}
	if got := asked(); got != nil {
		t.Errorf("got requests of %q, want none", got)
	}
	if _, errs, code := invoked(t, input{}, "--proxy", proxy, "http://m%C3%BCnchen.example/"); code != 0 {
		t.Errorf("an escaped host: got exit status %d, %s, want success", code, errs)
	}
	if got, want := asked(), []string{"http://xn--mnchen-3ya.example/"}; !slices.Equal(got, want) {
		t.Errorf("an escaped host: got requests of %q, want %q", got, want)
	}
}
