package http_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// TestRedirectWithoutPriorKnowledge checks that a request for HTTP/2 applies to a redirect within TLS, where ALPN decides, and not to a
// redirect without TLS, where HTTP/2 requires prior knowledge.
func TestRedirectWithoutPriorKnowledge(t *testing.T) {
	said := nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, r.Proto) })
	clear := httptest.NewServer(said)
	defer clear.Close()
	other := httptest.NewUnstartedServer(said)
	other.EnableHTTP2 = true
	other.StartTLS()
	defer other.Close()
	mux := nethttp.NewServeMux()
	mux.Handle("/clear", nethttp.RedirectHandler(clear.URL+"/", nethttp.StatusFound))
	mux.Handle("/tls", nethttp.RedirectHandler(other.URL+"/", nethttp.StatusFound))
	mux.Handle("/", said)
	first := httptest.NewUnstartedServer(mux)
	first.EnableHTTP2 = true
	first.StartTLS()
	defer first.Close()
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	roots := x509.NewCertPool()
	roots.AddCert(first.Certificate())
	roots.AddCert(other.Certificate())
	c.TLS = &tls.Config{RootCAs: roots}
	o := &fetch.Options{Set: map[string][]string{"http.version": {"2"}}}
	for path, want := range map[string]string{"/": "HTTP/2.0", "/clear": "HTTP/1.1", "/tls": "HTTP/2.0"} {
		d, err := c.Get(t.Context(), uri.MustParse(first.URL+path), o)
		if err != nil {
			t.Errorf("%s: got %v, want no error", path, err)
			continue
		}
		got, err := io.ReadAll(d.Body)
		d.Body.Close()
		if string(got) != want || err != nil {
			t.Errorf("%s: the server was asked in %q, want %q: %v", path, got, want, err)
		}
	}
	if _, err := c.Get(t.Context(), uri.MustParse(clear.URL+"/"), o); err == nil {
		t.Error("HTTP/2 to a server without it: got no error, want one")
	}
}
