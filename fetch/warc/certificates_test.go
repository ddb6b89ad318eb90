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

	"example.org/deref/fetch"
	"example.org/deref/fetch/tofu"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gemini/geminitest"
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
