package fetch_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
)

// A certificate that the roots of the RootsFile verify is accepted, and no other.
func TestRootsFile(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	root := s.Certificate()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	same := *root // in all but the key
	same.SignatureAlgorithm, same.PublicKey = 0, key.Public()
	forged, err := x509.CreateCertificate(rand.Reader, &same, &same, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	trusted := inPEM(root.Raw)
	const unknown = "signed by itself, not by a known authority"
	for _, tt := range []struct {
		name, file, host string
		cfg              *tls.Config
		want             string // in the error; empty for none
	}{
		{"root in the file", trusted, "127.0.0.1", nil, ""},
		{"root after others", inPEM(forged) + "text\n" + trusted, "127.0.0.1", nil, ""},
		{"no root", "", "127.0.0.1", nil, unknown},
		{"forged root", inPEM(forged), "127.0.0.1", nil, unknown},
		{"broken root", inPEM(root.Raw[:len(root.Raw)-1]), "127.0.0.1", nil, unknown},
		{"another host", trusted, "localhost", nil, "is not for localhost"},
		{"expired", trusted, "127.0.0.1", &tls.Config{Time: func() time.Time { return root.NotAfter.Add(time.Hour) }}, "expired on"},
		{"other roots", trusted, "127.0.0.1", &tls.Config{RootCAs: x509.NewCertPool()}, unknown},
		{"refused", trusted, "127.0.0.1", &tls.Config{VerifyConnection: func(tls.ConnectionState) error { return errors.New("refused") }}, "refused"},
	} {
		file := filepath.Join(t.TempDir(), "roots.pem")
		if err := os.WriteFile(file, []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		c := fetch.New(scheme("a", asking(&fetch.DialOptions{TLS: true})))
		c.TLS, c.RootsFile = tt.cfg, file
		_, err := get(t, c, "a://"+tt.host+":"+at.Port()+"/", nil)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: got %v, want the certificate accepted", tt.name, err)
		case tt.want != "" && (!errors.Is(err, fetch.ErrTLS) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want a TLS error with %q", tt.name, err, tt.want)
		}
		c.Close()
	}
}

func inPEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// No TLS session is resumed in another request, so no server can recognize a user by it (promise 8). Only a data connection offers the
// session of its control connection.
func TestPromise8NoSessionIsShared(t *testing.T) {
	cfg, roots, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		cfg := cfg.Clone()
		cfg.MaxVersion = version
		resumed := make(chan bool, 10)
		addr := loopback.ForTest(t, func(nc net.Conn) {
			s := tls.Server(nc, cfg)
			if s.Handshake() == nil {
				io.WriteString(s, "x")
				resumed <- s.ConnectionState().DidResume
			}
			s.Close()
		})
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
			if got, err := get(t, c, "a://"+addr+"/", nil); err != nil || got != "x" {
				t.Errorf("got %q, %v, want x", got, err)
			}
			if control, data := <-resumed, <-resumed; control || !data {
				t.Errorf("%s: control resumes %v, data %v", tls.VersionName(version), control, data)
			}
		}
		c.Close()
	}
}
