package fetch_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http/httptest"
	"testing"

	"example.org/deref/fetch"
)

// No TLS session is resumed in another request, so no server can recognize a user by it (promise 8). Only a data connection offers the
// session of its control connection.
func TestPromise8NoSessionIsShared(t *testing.T) {
	pair := httptest.NewUnstartedServer(nil) // for its certificate
	pair.StartTLS()
	defer pair.Close()
	roots := x509.NewCertPool()
	roots.AddCert(pair.Certificate())
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: pair.TLS.Certificates, MaxVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		resumed := make(chan bool, 10)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				nc, err := ln.Accept()
				if err != nil {
					return
				}
				s := nc.(*tls.Conn)
				if s.Handshake() == nil {
					io.WriteString(s, "x")
					resumed <- s.ConnectionState().DidResume
				}
				s.Close()
			}
		}()
		h := probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			control, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{TLS: true})
			if err != nil {
				return nil, err
			}
			io.ReadAll(control) // the ticket of TLS 1.3 arrives with it
			data, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{TLS: true, Near: control})
			if err != nil {
				return nil, err
			}
			return fetch.NewDocument(data), nil
		}}
		c := fetch.New(scheme("a", h))
		c.TLS = &tls.Config{RootCAs: roots}
		for range 3 {
			if got, err := get(t, c, "a://"+ln.Addr().String()+"/", nil); err != nil || got != "x" {
				t.Errorf("got %q, %v, want x", got, err)
			}
			if control, data := <-resumed, <-resumed; control || !data {
				t.Errorf("%s: control resumes %v, data %v", tls.VersionName(version), control, data)
			}
		}
		c.Close()
		ln.Close()
		<-done
	}
}
