package browse

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/schemes/gopher/gophertest"
)

// Nothing is requested twice in one visit: not after a redirect, by another name of the same URI, or for the questions of a form.
func TestNothingTwice(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	requests := map[string]int{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests[r.URL.Path]++
		mu.Unlock()
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new/", http.StatusFound)
		case "/new/":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<p>It <a href=a.html>hoots</a>.")
		case "/new/a.html":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<p>An owl.")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	dir := filepath.Join(t.TempDir(), "copy")
	u := newUser(t, nil).open(web.URL + "/old").sees("hoots")
	for _, same := range []string{web.URL + "/new/", strings.Replace(web.URL, "http", "HTTP", 1) + "/%6Eew/", web.URL + "/old#top"} {
		u.open(same).sees("hoots")
	}
	for _, path := range []string{"/old", "/new/"} {
		if got := requests[path]; got != 1 {
			t.Errorf("%s: got %d requests, want 1", path, got)
		}
	}
	if u.open(web.URL + "/new/").press("r").sees("hoots"); requests["/new/"] != 2 {
		t.Errorf("reload: got %d requests, want 2", requests["/new/"])
	}
	u.press("m").enter(dir).sees("Mirrored: 2 saved")
	srv := gopherServer(t, &gophertest.Options{Plus: true})
	u.open(srv.URL+"/").press("8", Enter, Enter).sees("What is your name?").press(Escape, Enter).sees("What is your name?").press(Escape)
	if got := strings.Count(strings.Join(srv.Transcript(), "\n"), "visitor.ask"); got != 1 {
		t.Errorf("form: got %d requests in %q, want 1", got, srv.Transcript())
	}
}

// A given login is for the server of the first page, and no link or typed address takes it to another one (promise 7).
func TestPromise7LoginStaysWithTheFirstServer(t *testing.T) {
	t.Parallel()
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	other := serve(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("%s: got %q, want no login", r.URL, r.Header.Get("Authorization"))
		}
		if r.URL.Path != "/" {
			w.Header().Set("WWW-Authenticate", `Basic realm="other"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
		io.WriteString(w, "<a href=/x>further</a>")
	})
	first := serve(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "sesame" {
			w.Header().Set("WWW-Authenticate", `Basic realm="first"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, "<p>It is yours.<a href="+other+"/>other</a>")
	})
	u := newUser(t, func(c *Config) { c.Options = &fetch.Options{Login: fetch.GivenLogin("ann", "sesame")} })
	u.open(first+"/").sees("It is yours.").press("1", Enter).sees("further").press("1", Enter).sees("User for http://").press(Escape)
	u.open(other + "/y").sees("User for http://").press(Escape).open(first + "/z").sees("It is yours.")
}

// Sensitive input and client certificates reach the server, and a key that has changed is said to have.
func TestGeminiIdentities(t *testing.T) {
	t.Parallel()
	site := fstest.MapFS{"index.gmi": {Data: []byte("# Birds\n")}, "private/x": {Data: []byte("It is yours.\n")}}
	srv := geminitest.NewServer(site, &geminitest.Options{Private: "/private/", Reply: map[string]string{"/secret": "11 Your PIN\r\n", "/secret?4%20sesame": "20 text/plain\r\nOpen.\n"}})
	t.Cleanup(srv.Close)
	u := newUser(t, nil)
	u.config.Client.TLS = &tls.Config{RootCAs: srv.Roots()}
	u.open(srv.URL + "/secret").sees("Your PIN:").enter("4 sesame").sees("Open.").seesNot("sesame").press("H").seesNot("sesame")
	u.open(srv.URL + "/private/x").sees("File with certificate and key:").enter(certificate(t)).sees("It is yours.")
	u.open(srv.URL + "/private/x?again").sees("It is yours.")

	addr := strings.TrimPrefix(srv.URL, "gemini://")
	file := filepath.Join(t.TempDir(), "known-hosts")
	if err := os.WriteFile(file, []byte(addr+" sha256:"+strings.Repeat("00", 32)+" 2099-01-01T00:00:00Z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	known, err := tofu.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	u = newUser(t, nil)
	known.Confirm = u.Confirm
	u.config.Client.FirstUse = known.Check
	u.open(srv.URL+"/").sees("THE KEY HAS CHANGED", "2099-01-01", "Trust this key (always, once, no)?").enter("always").sees("# Birds")
	if got, err := os.ReadFile(file); err != nil || strings.Count(string(got), addr+" sha256:") != 2 || strings.HasSuffix(string(got), " 2099-01-01T00:00:00Z\n") {
		t.Errorf("got the known keys %q, %v, want the new one after the old", got, err)
	}
}

// certificate returns the path of a file with a new client certificate and its key.
func certificate(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "me.pem")
	cfg := &tls.Config{Certificates: []tls.Certificate{*loopback.Must(loopback.Certificate(nil, "me"))}}
	if err := os.WriteFile(name, loopback.Must(loopback.PEM(cfg)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
