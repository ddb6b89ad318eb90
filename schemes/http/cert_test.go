package http_test

import (
	"crypto"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
)

// wantsCert is a server that requests a client certificate, and reports whether it got one. /away redirects to away.
func wantsCert(t *testing.T, how tls.ClientAuthType, away string) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/away" {
			nethttp.Redirect(w, r, away, nethttp.StatusFound)
			return
		}
		w.Header().Set("Cache-Control", "max-age=60")
		fmt.Fprint(w, len(r.TLS.PeerCertificates))
	}))
	s.TLS = &tls.Config{ClientAuth: how}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func TestClientCertificate(t *testing.T) {
	cfg, _, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := loopback.PEM(cfg)
	if err != nil {
		t.Fatal(err)
	}
	shown, secret, _ := strings.Cut(string(pair), "-----BEGIN PRIVATE")
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(name, []byte(text), mode), os.Chmod(name, mode)); err != nil { // whatever the umask
			t.Fatal(err)
		}
		return name
	}
	both, cert := file("both.pem", string(pair), 0o600), file("cert.pem", shown, 0o644)
	key, open := file("key.pem", "-----BEGIN PRIVATE"+secret, 0o600), file("open.pem", "-----BEGIN PRIVATE"+secret, 0o644)

	other := wantsCert(t, tls.RequestClientCert, "")
	s := wantsCert(t, tls.RequireAnyClientCert, other.URL+"/")
	c := cachedClient(t, t.TempDir()) // in which no response may be stored for somebody else
	c.TLS = &tls.Config{RootCAs: s.Client().Transport.(*nethttp.Transport).TLSClientConfig.RootCAs}
	for _, tt := range []struct {
		name, cert, key, uri string
		want                 string
		kind                 fetch.Kind
	}{
		{"one file", both, "", s.URL, "1", ""},
		{"two files", cert, key, s.URL, "1", ""},
		{"requested, not required", both, "", other.URL, "1", ""},
		{"not along to another server", both, "", s.URL + "/away", "0", ""},
		{"none, kept connections of others", "", "", other.URL, "0", ""},
		{"none, where one is demanded", "", "", s.URL, "", fetch.ErrTLS},
		{"a key that others can read", cert, open, s.URL, "", fetch.ErrLocal},
		{"no key", cert, "", s.URL, "", fetch.ErrLocal},
		{"no file", "/nonexistent", "", s.URL, "", fetch.ErrLocal},
	} {
		o := &fetch.Options{Set: map[string][]string{}}
		if tt.cert != "" {
			o.Set["http.cert"] = []string{tt.cert}
		}
		if tt.key != "" {
			o.Set["http.key"] = []string{tt.key}
		}
		if _, body, err := get(t, c, tt.uri, o); body != tt.want || tt.kind == "" && err != nil || tt.kind != "" && !errors.Is(err, tt.kind) {
			t.Errorf("%s: got %q, %v, want %q, kind %q", tt.name, body, err, tt.want, tt.kind)
		}
	}
}

// TestPromise8WhatIsWrongWithACertificate checks that the error distinguishes a certificate that is expired, one of another name, and one
// of an unknown authority.
func TestPromise8WhatIsWrongWithACertificate(t *testing.T) {
	made, _, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	key := made.Certificates[0].PrivateKey.(crypto.Signer)
	for _, c := range []struct {
		name    string
		change  func(*x509.Certificate)
		unknown bool
		want    string
	}{
		{"good", func(*x509.Certificate) {}, false, ""},
		{"expired", func(c *x509.Certificate) { c.NotAfter = time.Date(2020, 1, 2, 3, 4, 0, 0, time.UTC) }, false, "expired on 2020-01-02 03:04 UTC; this machine's clock shows "},
		{"not yet valid", func(c *x509.Certificate) {
			c.NotBefore = time.Date(2199, 1, 2, 3, 4, 0, 0, time.UTC)
			c.NotAfter = c.NotBefore.AddDate(1, 0, 0)
		}, false, "is not valid before 2199-01-02 03:04 UTC"},
		{"another name", func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"a.example", "b.example"} }, false, "the certificate is not for 127.0.0.1, but for a.example, b.example"},
		{"unknown authority", func(*x509.Certificate) {}, true, "is signed by itself, not by a known authority"},
	} {
		template := *made.Certificates[0].Leaf
		c.change(&template)
		der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewUnstartedServer(nethttp.NotFoundHandler())
		s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
		s.StartTLS()
		cl := client(t)
		cl.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
		if leaf, err := x509.ParseCertificate(der); err == nil && !c.unknown {
			cl.TLS.RootCAs.AddCert(leaf)
		}
		_, _, err = get(t, cl, s.URL, nil)
		kind := fetch.ErrTLS
		if c.want == "" {
			kind = fetch.ErrNotFound
		}
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s with %q", c.name, err, kind, c.want)
		}
		s.Close()
	}
}
