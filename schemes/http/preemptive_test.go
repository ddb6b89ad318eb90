package http_test

import (
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
)

// A doorman is a server that requires Digest in /d/ and Basic in /b/, and logs the requests. It accepts any answer to its latest nonce with
// a new count.
type doorman struct {
	mu    sync.Mutex
	log   []string
	nonce int
	seen  map[string]bool
	next  bool // it sends the next nonce with each document
}

func (d *doorman) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	said := r.Header.Get("Authorization")
	how, _, _ := strings.Cut(said, " ")
	d.log = append(d.log, strings.TrimSpace(r.URL.Path+" "+how))
	param := func(name string) string {
		_, v, _ := strings.Cut(said, name+"=")
		v, _, _ = strings.Cut(v, ",")
		return strings.Trim(v, `"`)
	}
	nonce, use := fmt.Sprint("n", d.nonce), param("nonce")+param("nc")
	switch {
	case strings.HasPrefix(r.URL.Path, "/d/") && (how != "Digest" || param("nonce") != nonce || d.seen[use]):
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Digest realm="d", qop="auth", nonce="%s", stale=%v`, nonce, how == "Digest"))
		w.WriteHeader(401)
		return
	case strings.HasPrefix(r.URL.Path, "/b/") && how != "Basic":
		w.Header().Set("WWW-Authenticate", `Basic realm="b"`)
		w.WriteHeader(401)
		return
	}
	d.seen[use] = true
	if d.next {
		d.nonce++
		w.Header().Set("Authentication-Info", fmt.Sprintf(`qop=auth, nextnonce="n%d"`, d.nonce))
	}
	fmt.Fprint(w, "in")
}

// TestLoginIsRememberedPerServer checks that the second request to a server does not wait for a challenge.
func TestLoginIsRememberedPerServer(t *testing.T) {
	for _, c := range []struct {
		name, paths, log string
		next             bool
	}{
		{"digest", "/d/1 /d/2 /d/3", "/d/1|/d/1 Digest|/d/2 Digest|/d/3 Digest", false},
		{"stale nonce", "/d/1 new /d/2 /d/3", "/d/1|/d/1 Digest|/d/2 Digest|/d/2 Digest|/d/3 Digest", false},
		{"nextnonce", "/d/1 /d/2 /d/3", "/d/1|/d/1 Digest|/d/2 Digest|/d/3 Digest", true},
		{"basic", "/b/1 /b/2 /b/c/3", "/b/1|/b/1 Basic|/b/2 Basic|/b/c/3 Basic", false},
		{"basic, only in its directory", "/b/c/1 /b/2 /o", "/b/c/1|/b/c/1 Basic|/b/2|/b/2 Basic|/o", false},
	} {
		d := &doorman{seen: map[string]bool{}, next: c.next}
		s := httptest.NewServer(d)
		cl := client(t)
		for path := range strings.FieldsSeq(c.paths) {
			if path == "new" {
				d.nonce++
				continue
			}
			o := &fetch.Options{Login: fetch.Login{User: "u", Password: "pw", Set: true}}
			if _, body, err := get(t, cl, s.URL+path, o); body != "in" || err != nil {
				t.Errorf("%s: %s: got %q, %v, want %q", c.name, path, body, err, "in")
			}
		}
		if got := strings.Join(d.log, "|"); got != c.log {
			t.Errorf("%s: %s, want %s", c.name, got, c.log)
		}
		s.Close()
	}
}

func TestRememberedChallengeAmongMany(t *testing.T) {
	d := &doorman{seen: map[string]bool{}}
	s := httptest.NewServer(d)
	defer s.Close()
	c := client(t)
	o := &fetch.Options{Login: fetch.Login{User: "u", Password: "pw", Set: true}}
	get(t, c, s.URL+"/d/first", o)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			if _, body, err := get(t, c, fmt.Sprintf("%s/d/%d", s.URL, i), o); body != "in" || err != nil {
				t.Errorf("got %q, %v, want %q", body, err, "in")
			}
		})
	}
	wg.Wait()
	if n := len(d.log); n != 2+32 { // no count was used twice
		t.Errorf("got %d requests, want %d", n, 2+32)
	}
}
