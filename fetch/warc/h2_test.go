package warc_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	schemehttp "example.org/deref/schemes/http"
	"example.org/deref/schemes/http/jar"
	"example.org/deref/uri"
)

// serveHTTP2 serves over HTTP/2. It returns a configuration that trusts the server.
func serveHTTP2(t *testing.T, answer http.HandlerFunc) (*httptest.Server, *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(answer)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s, &tls.Config{RootCAs: roots}
}

// HTTP/2 is archived as HTTP/1.1, also over reused connections, and read back without TLS.
func TestHTTP2(t *testing.T) {
	s, trust := serveHTTP2(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Asked", r.URL.RequestURI())
		if r.URL.Path == "/missing" {
			w.WriteHeader(404)
		}
		io.WriteString(w, r.Proto+strings.Repeat(" page", 5000))
	})
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	w, c := recorderOf(t, name, nil)
	defer c.Close()
	c.TLS = trust
	uris := []string{s.URL + "/one?x", s.URL + "/two", s.URL + "/missing", s.URL + "/three"}
	get := func(c *fetch.Client, u string) (string, error) {
		d, err := c.Get(t.Context(), uri.MustParse(u), &fetch.Options{Set: map[string][]string{"http.version": {"2"}}})
		if err != nil {
			return "", err
		}
		defer d.Body.Close()
		b, err := io.ReadAll(d.Body)
		return string(b), err
	}
	want := map[string]string{}
	for _, u := range uris {
		body, err := get(c, u)
		if want[u] = body; err != nil && fetch.KindOf(err) != fetch.ErrNotFound || err == nil && !strings.HasPrefix(body, "HTTP/2.0 page") {
			t.Errorf("%s: got %.20q, %v; want HTTP/2.0 page or notfound", u, body, err)
		}
	}
	finish(t, w)
	all := records(t, name)
	if got := types(all); got != "warcinfo response request metadata revisit request revisit request revisit request" {
		t.Fatalf("got %v, want \"warcinfo response request metadata revisit request revisit request revisit request\"", got)
	}
	all = slices.Delete(all, 3, 4) // the certificates
	for i, u := range uris {
		res, req := all[1+2*i], all[2+2*i]
		path := strings.TrimPrefix(u, s.URL)
		if !strings.HasPrefix(req.block, "GET "+path+" HTTP/1.1\r\nHost: ") || !strings.HasSuffix(req.block, "\r\n\r\n") {
			t.Errorf("%s: got %q, want block starting with %q and block ending in %q",
				u, req.block, "GET "+path+" HTTP/1.1\r\nHost: ", "\r\n\r\n")
		}
		if !strings.HasPrefix(res.block, "HTTP/1.1 ") || !strings.Contains(res.block, "x-asked: "+path+"\r\n") {
			t.Errorf("%s: got %.300q, want block starting with \"HTTP/1.1 \" and block containing %q",
				u, res.block, "x-asked: "+path+"\r\n")
		}
		var protocols []string
		for _, f := range res.Fields {
			if f.Name == "WARC-Protocol" || f.Name == "WARC-Cipher-Suite" || f.Name == "WARC-Truncated" {
				protocols = append(protocols, f.Value)
			}
		}
		if got := strings.Join(protocols, " "); !strings.HasPrefix(got, "h2 tls/1.3 TLS_") {
			t.Errorf("%s: got %s, want starting with \"h2 tls/1.3 TLS_\"", u, got)
		}
	}
	again := readerOf(t, name)
	defer again.Close()
	for _, u := range uris {
		if body, err := get(again, u); body != want[u] || (err != nil) != strings.HasSuffix(u, "/missing") {
			t.Errorf("%s: read back: got %.40q, %v; want %.40q", u, body, err, want[u])
		}
	}
}

// Secrets cannot be found in the compressed headers of HTTP/2, so they must be removed from the decoded ones.
func TestPromise7HeadersOfHTTP2(t *testing.T) {
	s, trust := serveHTTP2(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Said", "You: "+r.Header.Get("Authorization"))
		w.Header().Set("Set-Cookie", "sid=OfTheServer123")
	})
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	w, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(schemes.All(&schemes.Config{HTTP: &schemehttp.Config{Jar: jar.New()}})...)
	defer c.Close()
	c.TLS = trust
	c.Recorder = warc.NewRecorder(w)
	if _, err := readWith(c, s.URL+"/", map[string][]string{"http.version": {"2"},
		"http.credential-header": {"Authorization: Bearer T0ken"}}); err != nil {
		t.Fatal(err)
	}
	finish(t, w)
	found := false
	for _, r := range records(t, name) {
		found = found || strings.Contains(r.block, "x-said: You: ***\r\n") &&
			strings.Contains(strings.ToLower(r.block), "set-cookie: sid=***\r\n")
		if strings.Contains(r.block, "T0ken") || strings.Contains(r.block, "OfTheServer123") {
			t.Errorf("got %q, want no secrets", r.block)
		}
	}
	if !found {
		t.Error("no record has the header fields with hidden secrets")
	}
}

func readWith(c *fetch.Client, u string, set map[string][]string) (string, error) {
	d, err := c.Get(context.Background(), uri.MustParse(u), &fetch.Options{Set: set})
	if err != nil {
		return "", err
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	return string(b), err
}
