package http_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"testing"

	"example.org/deref/fetch"
)

// Within TLS, the client uses HTTP/1.1 if the server does not choose HTTP/2 by ALPN, also if the server does not support ALPN, and after a
// redirect.
func TestHTTP2FallsBackByALPN(t *testing.T) {
	h := nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/from" {
			nethttp.Redirect(w, r, "/to", nethttp.StatusFound)
			return
		}
		io.WriteString(w, r.Proto)
	})
	for _, c := range []struct {
		name   string
		protos []string
		want   string
	}{
		{"HTTP/1.1 only", []string{"http/1.1"}, "HTTP/1.1"},
		{"no ALPN", nil, "HTTP/1.1"},
		{"both", []string{"h2", "http/1.1"}, "HTTP/2.0"},
	} {
		s := httptest.NewUnstartedServer(h)
		s.EnableHTTP2 = c.want == "HTTP/2.0"
		s.StartTLS()
		s.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return &tls.Config{Certificates: s.TLS.Certificates, NextProtos: c.protos}, nil
		}
		cl := client(t)
		cl.TLS = &tls.Config{InsecureSkipVerify: true}
		o := &fetch.Options{Set: map[string][]string{"http.version": {"2"}}}
		for _, path := range []string{"/from", "/to"} {
			if _, body, err := get(t, cl, s.URL+path, o); err != nil || body != c.want {
				t.Errorf("%s, %s: got %q, %v, want %s", c.name, path, body, err, c.want)
			}
		}
		cl.Close()
		s.Close()
	}
}

// TestHTTP2OfAServerWithoutIt checks that a server that responds with HTTP/1 to HTTP/2 without TLS is reported as such.
func TestHTTP2OfAServerWithoutIt(t *testing.T) {
	for _, answer := range []string{"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 505 HTTP Version Not Supported\r\n\r\nno"} {
		s := script(t, answer)
		_, _, err := get(t, client(t), "http://"+s.Addr()+"/", &fetch.Options{Set: map[string][]string{"http.version": {"2"}}})
		e, ok := errors.AsType[*fetch.Error](err)
		if !ok || e.Kind != fetch.ErrProtocol || e.Text != "the server responds with HTTP/1, not HTTP/2" || e.Hint == "" {
			t.Errorf("%q: got %v, want a protocol error about HTTP/1 with a hint", answer, err)
		}
	}
}

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
	c := client(t)
	roots := x509.NewCertPool()
	roots.AddCert(first.Certificate())
	roots.AddCert(other.Certificate())
	c.TLS = &tls.Config{RootCAs: roots}
	o := &fetch.Options{Set: map[string][]string{"http.version": {"2"}}}
	for path, want := range map[string]string{"/": "HTTP/2.0", "/clear": "HTTP/1.1", "/tls": "HTTP/2.0"} {
		if _, got, err := get(t, c, first.URL+path, o); got != want || err != nil {
			t.Errorf("%s: the server was asked in %q, want %q: %v", path, got, want, err)
		}
	}
}
