package ftp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// A port is what a firewall does with a data connection.
type port int

const (
	open     port = iota
	slow          // connects, but later than the client waits at first
	filtered      // never connects
)

// firewalled puts a firewall before the server: the client's Nth data connection is to ports[N]. Later ones are open. It returns the number of
// data connections.
func (l *setting) firewalled(ports ...port) *atomic.Int32 {
	var n atomic.Int32
	dial := l.Dialer
	l.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == l.srv.Addr {
			return dial(ctx, network, addr)
		}
		var connects <-chan time.Time
		switch i := int(n.Add(1)) - 1; {
		case i >= len(ports) || ports[i] == open:
			return dial(ctx, network, addr)
		case ports[i] == slow:
			connects = time.After(4 * time.Second)
		}
		select {
		case <-connects:
			return dial(ctx, network, addr)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &n
}

// TestFilteredEPSV checks that a firewall that drops packets to the ports of EPSV costs a second or two, once.
func TestFilteredEPSV(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, l *setting) {
		n := l.firewalled(filtered)
		want := site(t, "README.txt")
		began := time.Now()
		for i := range 2 {
			if got, err := l.text(t, "/README.txt", nil); got != want || err != nil {
				t.Errorf("request %d: got %d bytes, %v, want %d; the server received %q", i, len(got), err, len(want), l.srv.Transcript())
			}
		}
		if took := time.Since(began); n.Load() != 3 || took > 2*time.Second {
			t.Errorf("got %d data connections in %s, want 3 in at most 2s", n.Load(), took)
		}
	})
}

// TestSlowEPSV checks that EPSV has all of its time if PASV does not work either.
func TestSlowEPSV(t *testing.T) {
	const soon, late = 5 * time.Second, 15 * time.Second // before and after the server's 425
	for name, tt := range map[string]struct {
		f       ftptest.Faults
		ports   []port
		connect time.Duration
		want    fetch.Kind
		dials   int32
	}{
		"PASV refused":      {ftptest.Faults{Reply: replies("PASV", "502 no")}, []port{filtered, slow}, soon, "", 2},
		"PASV filtered":     {ftptest.Faults{}, []port{filtered, filtered, slow}, soon, "", 3},
		"PASV refused late": {ftptest.Faults{}, []port{filtered, filtered, filtered, slow}, late, "", 4}, // the second PASV follows the server's 425
		"all filtered":      {ftptest.Faults{}, []port{filtered, filtered, filtered}, soon, fetch.ErrTimeout, 3},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, &ftptest.Options{Faults: &tt.f}, func(t *testing.T, l *setting) {
				n := l.firewalled(tt.ports...)
				l.Timeouts.Connect = tt.connect
				got, err := l.text(t, "/README.txt", nil)
				if fetch.KindOf(err) != tt.want || err == nil && got != site(t, "README.txt") || n.Load() != tt.dials {
					t.Errorf("got %d bytes, %v, %d data connections, want kind %q, %d; the server received %q",
						len(got), err, n.Load(), tt.want, tt.dials, l.srv.Transcript())
				}
			})
		})
	}
}
