package warc_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
	"example.org/deref/fetch/tofu"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gemini/geminitest"
	schemehttp "example.org/deref/schemes/http"
	"example.org/deref/schemes/http/jar"
)

// The certificates of a server are in the archive once, however many documents and connections there are, and also if a request over
// them failed; every document refers to them.
func TestCertificates(t *testing.T) {
	t.Parallel()
	site := func() *httptest.Server {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			io.WriteString(w, "document "+r.URL.Path)
		}))
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	one := site()
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	capture(t, name, &warc.Options{Index: true}, func(c *fetch.Client) {
		c.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
		c.TLS.RootCAs.AddCert(one.Certificate())
	}, one.URL+"/1", one.URL+"/2", one.URL+"/1", strings.Replace(one.URL, "https://", "http://", 1)+"/")
	all := records(t, name)
	var chains []stored
	for _, r := range all {
		if r.MediaType() == warc.CertificatesType {
			chains = append(chains, r)
		}
	}
	if len(chains) != 1 {
		t.Fatalf("got %d records of certificates, want 1: %s", len(chains), types(all))
	}
	block, rest := pem.Decode([]byte(chains[0].block))
	if block == nil || !bytes.Equal(block.Bytes, one.Certificate().Raw) || len(rest) > 0 {
		t.Errorf("got %q, want the certificate of the server", chains[0].block)
	}
	if got, want := chains[0].Target(), "urn:certificates:"+one.URL+"/1"; got != want || chains[0].Type() != "metadata" {
		t.Errorf("got %s %s, want metadata %s", chains[0].Type(), got, want)
	}
	if got, want := chains[0].Fields.Get("WARC-Concurrent-To"), all[1].ID(); got != want {
		t.Errorf("got WARC-Concurrent-To %s, want %s", got, want)
	}
	for _, r := range all {
		want := ""
		if kind := r.Type(); (kind == "response" || kind == "revisit") && strings.HasPrefix(r.Target(), "https:") {
			want = chains[0].ID()
		}
		if got := r.Fields.Get("WARC-Certificates-ID"); got != want {
			t.Errorf("%s %s: got WARC-Certificates-ID %s, want %q", r.Type(), r.Target(), got, want)
		}
	}
	for _, r := range filtered(t, name, "/2") {
		if r.Target() == one.URL+"/1" {
			t.Errorf("filtered: got %s %s, want only the records of /2", r.Type(), r.Target())
		}
	}
	if got := types(filtered(t, name, "/2")); got != "warcinfo response request metadata" && got != "warcinfo metadata response request" {
		t.Errorf("filtered: got %s, want the document with its certificates", got)
	}
	c := readerOf(t, name)
	defer c.Close()
	if got, err := read(c, one.URL+"/2"); err != nil || got != "document /2" {
		t.Errorf("from the archive: got %q, %v; want the document", got, err)
	}
}

// filtered returns the records of a copy with the documents whose URI has an ending.
func filtered(t *testing.T, name, ending string) []stored {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.warc.gz")
	copyTo(t, &warc.CopyOptions{Name: to, Want: func(f *warc.Fact) bool { return strings.HasSuffix(f.URI, ending) }}, name)
	return records(t, to)
}

// A failure in a protocol without messages refers to the certificates, too.
func TestCertificatesOfFailures(t *testing.T) {
	t.Parallel()
	s := geminitest.NewServer(fstest.MapFS{}, nil)
	defer s.Close()
	name := filepath.Join(t.TempDir(), "a.warc")
	capture(t, name, nil, func(c *fetch.Client) { c.FirstUse = new(tofu.Store).Check }, s.URL+"/none", s.URL+"/none")
	all := records(t, name)
	if got := types(all); got != "warcinfo metadata metadata metadata" {
		t.Fatalf("got %s, want two dialogues and certificates", got)
	}
	i := slices.IndexFunc(all, func(r stored) bool { return r.MediaType() == warc.CertificatesType })
	if i != 2 || all[1].Fields.Get("WARC-Certificates-ID") != all[i].ID() || all[3].Fields.Get("WARC-Certificates-ID") != all[i].ID() {
		t.Errorf("got the certificates at %d, and dialogues that refer to %q and %q", i, all[1].Fields.Get("WARC-Certificates-ID"), all[3].Fields.Get("WARC-Certificates-ID"))
	}
}

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
	version2 := &fetch.Options{Set: map[string][]string{"http.version": {"2"}}}
	want := map[string]string{}
	for _, u := range uris {
		body, err := all(t, c, u, version2)
		if want[u] = body; err != nil && fetch.KindOf(err) != fetch.ErrNotFound || err == nil && !strings.HasPrefix(body, "HTTP/2.0 page") {
			t.Errorf("%s: got %.20q, %v; want HTTP/2.0 page or notfound", u, body, err)
		}
	}
	finish(t, w)
	list := records(t, name)
	if got := types(list); got != "warcinfo response request metadata revisit request revisit request revisit request" {
		t.Fatalf("got %v, want \"warcinfo response request metadata revisit request revisit request revisit request\"", got)
	}
	list = slices.Delete(list, 3, 4) // the certificates
	for i, u := range uris {
		res, req := list[1+2*i], list[2+2*i]
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
		if body, err := all(t, again, u, version2); body != want[u] || (err != nil) != strings.HasSuffix(u, "/missing") {
			t.Errorf("%s: read back: got %.40q, %v; want %.40q", u, body, err, want[u])
		}
	}
}

// A field that HTTP/2 does not have must not change how the body of an archived response is read (RFC 9113 section 8.2.2).
func TestFramesHaveNoTransferCoding(t *testing.T) {
	got := warc.FramedHead(hpack.HeaderField{Name: "transfer-encoding", Value: "chunked"}, hpack.HeaderField{Name: "x", Value: "y"})
	if want := "HTTP/1.1 200 OK\r\nx: y\r\n\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
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
	c := fetch.New(schemehttp.Schemes(&schemehttp.Config{Jar: jar.New()})...)
	defer c.Close()
	c.TLS = trust
	c.Recorder = warc.NewRecorder(w)
	secret := map[string][]string{"http.version": {"2"}, "http.credential-header": {"Authorization: Bearer T0ken"}}
	if _, err := all(t, c, s.URL+"/", &fetch.Options{Set: secret}); err != nil {
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
