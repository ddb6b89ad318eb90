package http_test

import (
	"crypto/tls"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"testing"

	"example.org/deref/fetch"
)

// Within TLS, the client uses HTTP/1.1 if the server does not choose HTTP/2 by ALPN, also if the server does not support ALPN, and after a
// redirect. Without TLS there is no choice: HTTP/2 requires prior knowledge (RFC 9113 section 3.3).
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
	s := httptest.NewServer(h)
	defer s.Close()
	if _, _, err := get(t, client(t), s.URL, &fetch.Options{Set: map[string][]string{"http.version": {"2"}}}); fetch.KindOf(err) != fetch.ErrProtocol {
		t.Errorf("in clear: got %v, want %s", err, fetch.ErrProtocol)
	}
}
