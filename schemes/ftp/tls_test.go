package ftp_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/ftptest"
)

// certificate returns a server's configuration with a certificate for 127.0.0.1, and a client's that trusts it.
func certificate(t *testing.T) (server, client *tls.Config) {
	ts := httptest.NewTLSServer(nil)
	defer ts.Close()
	pool := x509.NewCertPool()
	pool.AddCert(ts.Certificate())
	return &tls.Config{Certificates: ts.TLS.Certificates}, &tls.Config{RootCAs: pool}
}

func TestTLS(t *testing.T) {
	server, client := certificate(t)
	users := map[string]ftptest.User{"alice": {Password: "s3cr3t", Home: "/texts"}, "bob": {Password: "b", Account: "acc"}}
	tests := []struct {
		name   string
		o      ftptest.Options
		set    string
		scheme string
		login  fetch.Login
		want   fetch.Kind
		clear  bool // the password must not have been sent
	}{
		{name: "implicit", o: ftptest.Options{TLS: server, Implicit: true}, scheme: "ftps"},
		{name: "explicit", o: ftptest.Options{TLS: server}, scheme: "ftpes"},
		{name: "explicit by setting", o: ftptest.Options{TLS: server, RequireTLS: true}, set: "ftp.ssl=require", scheme: "ftp"},
		{name: "reuse demanded", o: ftptest.Options{TLS: server, RequireReuse: true}, scheme: "ftpes"},
		{name: "reuse demanded, implicit", o: ftptest.Options{TLS: server, Implicit: true, RequireReuse: true}, scheme: "ftps"},
		{name: "active", o: ftptest.Options{TLS: server, RequireReuse: true}, set: "ftp.active=yes", scheme: "ftpes"},
		{name: "none to be had", scheme: "ftpes", want: fetch.ErrTLS},
		{name: "none to be had, with a password", scheme: "ftpes", login: fetch.Login{User: "alice", Password: "s3cr3t", Set: true},
			want: fetch.ErrTLS, clear: true},
		{name: "password, TLS offered", o: ftptest.Options{TLS: server, RequireTLS: true}, scheme: "ftp",
			login: fetch.Login{User: "alice", Password: "s3cr3t", Set: true}},
		{name: "password, none offered", scheme: "ftp", login: fetch.Login{User: "alice", Password: "s3cr3t", Set: true}},
		{name: "wrong password", o: ftptest.Options{TLS: server}, scheme: "ftp",
			login: fetch.Login{User: "alice", Password: "wrong", Set: true}, want: fetch.ErrAuth},
		{name: "injected replies", o: ftptest.Options{TLS: server, Faults: &ftptest.Faults{InjectBeforeTLS: "230 in\r\n"}}, scheme: "ftpes",
			want: fetch.ErrProtocol},
		{name: "no close_notify, SIZE agrees", o: ftptest.Options{TLS: server, Faults: &ftptest.Faults{NoCloseNotify: true}}, scheme: "ftpes"},
		{name: "no close_notify, no SIZE", o: ftptest.Options{TLS: server, NoSIZE: true, Faults: &ftptest.Faults{NoCloseNotify: true}},
			scheme: "ftpes", want: fetch.ErrTruncated},
		{name: "account", scheme: "ftp", login: fetch.Login{User: "bob", Password: "b", Set: true}, set: "ftp.account=acc"},
		{name: "account missing", scheme: "ftp", login: fetch.Login{User: "bob", Password: "b", Set: true}, want: fetch.ErrAuth},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Users = users
			l := newLab(t, &tt.o)
			l.TLS = client
			l.srv.URL = tt.scheme + "://" + l.srv.Addr
			path, file := "/%2Ftexts/lf.txt", "texts/lf.txt"
			o := &fetch.Options{Login: tt.login}
			if k, v, ok := strings.Cut(tt.set, "="); ok {
				o.Set = map[string][]string{k: {v}}
			}
			seen := ""
			o.Trace = func(e fetch.Event) { seen += fmt.Sprint(string(e.Data), e.Step, e.Note) }
			got, err := l.text(t, path, o)
			if fetch.KindOf(err) != tt.want || err == nil && got != site(t, file) {
				t.Errorf("got %q, %v (%s), want %q; the server received %q", got, err, fetch.KindOf(err), tt.want, l.srv.Transcript())
			}
			if strings.Contains(seen, "s3cr3t") || err != nil && strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("got the password in the trace or in %v, want it blanked", err)
			}
			if received := strings.Join(l.srv.Transcript(), "\n"); tt.clear && strings.Contains(received, "s3cr3t") {
				t.Errorf("got the password in %q, want it not sent without TLS", received)
			}
		})
	}
}

func TestPromise8UntrustedCertificate(t *testing.T) {
	server, _ := certificate(t)
	l := newLab(t, &ftptest.Options{TLS: server, Implicit: true})
	if _, err := l.text(t, "/README.txt", nil); fetch.KindOf(err) != fetch.ErrTLS {
		t.Errorf("got %v, want %s", err, fetch.ErrTLS)
	}
}
