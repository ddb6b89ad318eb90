package fetch_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
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
