package main

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// labServer lets in whoever has a password, and says a text that may hold it.
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

// A password that is a common word changes no document: not its type and links, nor what is archived, recorded, and read again from there. A
// warning says once that a file contains it (promise 7).
func TestPromise7CommonWordsChangeNothing(t *testing.T) {
	t.Parallel()
	command, s := derefCommand(t), labServer(t)
	run := func(args ...string) (out, errs string) {
		t.Helper()
		cmd := command(args...)
		var o, e strings.Builder
		cmd.Stdout, cmd.Stderr = &o, &e
		if err := cmd.Run(); err != nil {
			t.Errorf("%q: %v: %s", args, err, e.String())
		}
		return o.String(), e.String()
	}
	for _, word := range []string{"html", "text", "y", "T", "lab", "This", "127", "GET", "HTTP", "charset"} {
		if out, _ := run("-u", "x:"+word, "--links", s.URL+"/page.html"); !strings.Contains(out, s.URL+"/lab\tThis is the lab.") {
			t.Errorf("%s: --links prints %q", word, out)
		}
		if out, _ := run("-u", "x:"+word, "--json", s.URL+"/lab"); !strings.Contains(out, `"type":"text/plain"`) || !strings.Contains(out, `"Content-Type":["text/plain"]`) {
			t.Errorf("%s: --json prints %s", word, out)
		}
		dir := t.TempDir()
		archive, record := filepath.Join(dir, "a.warc"), filepath.Join(dir, "a.txt")
		_, errs := run("--warc", archive, "--record", record, "-u", "x:"+word, s.URL+"/lab")
		if repeats := strings.Contains("This is the lab.\n", word); strings.Count(errs, "warning: ") != map[bool]int{true: 1}[repeats] || repeats && !strings.Contains(errs, archive+" and "+record) {
			t.Errorf("%s: the warning is %q", word, errs)
		}
		for _, args := range [][]string{{"--from-warc", archive}, {"--replay", record, "-u", "x:" + word}} {
			if out, _ := run(append(args, "-w", "%{type}", s.URL+"/lab")...); out != "This is the lab.\ntext/plain" {
				t.Errorf("%s: %q gives %q", word, args, out)
			}
		}
		for _, name := range []string{archive, record} {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if basic := base64.StdEncoding.EncodeToString([]byte("x:" + word)); strings.Contains(string(b), basic) || !strings.Contains(string(b), "X-Said: x:***") && !strings.Contains(string(b), "X-Said: ***") {
				t.Errorf("%s: %s has credentials in its fields:\n%s", word, name, b)
			}
		}
	}
}
