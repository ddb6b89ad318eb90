package main

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// labServer starts a server that accepts any password and returns a text that may contain it.
func labServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="lab"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Basic "))
		w.Header().Set("X-Said", string(plain))
		if r.URL.Path == "/page.html" {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<html><a href="/lab">This is the lab.</a></html>`)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "This is the lab.\n")
	}))
	t.Cleanup(s.Close)
	return s
}

// A password that is a common word changes no document: neither its type and links, nor its bytes in an archive or a recording. One
// warning reports the files that contain it (promise 7).
func TestPromise7CommonWordsChangeNothing(t *testing.T) {
	long(t, "many commands or processes")
	home, s := t.TempDir(), labServer(t)
	run := func(args ...string) (out, errs string) {
		t.Helper()
		out, errs, code := invoked(t, input{home: home}, args...)
		if code != 0 {
			t.Errorf("%q: got exit code %d, want 0: %s", args, code, errs)
		}
		return out, errs
	}
	for _, word := range []string{"html", "text", "y", "T", "lab", "This", "127", "GET", "HTTP", "charset"} {
		out, _ := run("-u", "x:"+word, "--links", s.URL+"/page.html")
		if want := s.URL + "/lab\tThis is the lab."; !strings.Contains(out, want) {
			t.Errorf("%s: --links printed %q, want it to contain %q", word, out, want)
		}
		out, _ = run("-u", "x:"+word, "--json", s.URL+"/lab")
		if !strings.Contains(out, `"type":"text/plain"`) || !strings.Contains(out, `"Content-Type":["text/plain"]`) {
			t.Errorf("%s: --json printed %s, want type and Content-Type text/plain", word, out)
		}
		dir := t.TempDir()
		archive, record := filepath.Join(dir, "a.warc"), filepath.Join(dir, "a.txt")
		_, errs := run("--warc", archive, "--record", record, "-u", "x:"+word, s.URL+"/lab")
		repeats := strings.Contains("This is the lab.\n", word)
		if n := strings.Count(errs, "warning: "); n != map[bool]int{true: 1}[repeats] ||
			repeats && !strings.Contains(errs, archive+" and "+record) {
			t.Errorf("%s: got %q, want a warning: %v", word, errs, repeats)
		}
		const want = "This is the lab.\ntext/plain"
		for _, args := range [][]string{{"--from-warc", archive}, {"--replay", record, "-u", "x:" + word}} {
			if out, _ := run(append(args, "-w", "%{type}", s.URL+"/lab")...); out != want {
				t.Errorf("%s: %q printed %q, want %q", word, args, out, want)
			}
		}
		for _, name := range []string{archive, record} {
			text := contents(t, name)
			basic := base64.StdEncoding.EncodeToString([]byte("x:" + word))
			masked := strings.Contains(text, "X-Said: x:***") || strings.Contains(text, "X-Said: ***")
			if strings.Contains(text, basic) || !masked {
				t.Errorf("%s: %s contains\n%s\nwant no credentials in the fields", word, name, text)
			}
		}
	}
}
