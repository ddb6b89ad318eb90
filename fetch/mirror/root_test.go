package mirror_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/uri"
)

// TestSecretsStay: a login is sent only to the root's server, and no file of the mirror contains it; a secret in the URI stays in the
// frontier.
func TestSecretsStay(t *testing.T) {
	var mu sync.Mutex
	sent := map[string]string{}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent["far"] += r.Header.Get("Authorization") + r.Header.Get("Cookie")
	}))
	defer far.Close()
	near := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "hush" {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(401)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="%s/x">far</a><a href="/near">near</a>`, far.URL)
	}))
	defer near.Close()
	for name, test := range map[string]struct {
		root  string
		login fetch.Login
	}{
		"option": {near.URL + "/", fetch.Login{User: "u", Password: "hush", Set: true}},
		"uri":    {strings.Replace(near.URL, "//", "//u:hush@", 1) + "/", fetch.Login{}},
	} {
		dir := t.TempDir()
		sum := run(t, test.root, dir, &mirror.Options{SpanHosts: true, Request: &fetch.Options{Login: test.login,
			Set: map[string][]string{"http.credential-header": {"Cookie: hush"}}}})
		if sum.Saved != 3 || sent["far"] != "" {
			t.Errorf("%s: got %+v; the other server received %q, want no secret", name, sum, sent["far"])
		}
		for file, text := range tree(t, filepath.Join(dir, ".deref")) {
			if strings.Contains(text, "hush") {
				t.Errorf("%s: the secret is in %s", name, file)
			}
		}
	}
}

func TestBadRoots(t *testing.T) {
	for _, test := range []struct {
		root string
		kind fetch.Kind
	}{{"relative", fetch.ErrRefusedURL}, {"nonesuch://h/", fetch.ErrUnsupported}, {"ftp://127.0.0.1:1/%0D%0A/", fetch.ErrRefusedURL}} {
		dir := filepath.Join(t.TempDir(), "x")
		if _, err := mirror.Run(t.Context(), client(t), uri.MustParse(test.root), dir, nil); fetch.KindOf(err) != test.kind {
			t.Errorf("%s: got %v, want %v", test.root, err, test.kind)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s created a directory", test.root)
		}
	}
}

// TestRootIsGone: a first Run that finds nothing leaves not even a directory; a later one keeps the copies.
func TestRootIsGone(t *testing.T) {
	pages := map[string]string{"/a.txt": "a"}
	w := newWeb(t, pages)
	over := t.TempDir()
	if err := os.WriteFile(filepath.Join(over, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	kept := t.TempDir()
	run(t, w.root+"/a.txt", kept, nil)
	before := namesIn(t, kept)
	for dir, want := range map[string]string{filepath.Join(t.TempDir(), "new"): "", over: "mine", kept: before} {
		sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(w.root+"/gone"), dir, nil)
		if err != nil || fetch.KindOf(sum.First) != fetch.ErrNotFound || sum.Failed != 1 {
			t.Errorf("got %v, %+v; want fetch.KindOf(sum.First) ErrNotFound and Failed 1", err, sum)
		}
		if want == "" {
			if _, err := os.Stat(dir); err == nil {
				t.Errorf("%s exists", dir)
			}
			continue
		}
		if got := namesIn(t, dir); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if _, err := os.Stat(filepath.Join(dir, ".deref")); (err == nil) != (dir == kept) {
			t.Errorf("%s: .deref: %v", dir, err)
		}
	}
}
