package command

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"testing"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/browse"
)

// TestBrowserAsksAboutCertificates: the browser asks whether to trust a certificate, except with --cacert and --insecure.
func TestBrowserAsksAboutCertificates(t *testing.T) {
	a := app.New(os.Stdin, os.Stdout, os.Stderr, func(string) string { return "" })
	for _, test := range []struct {
		flags *tls.Config
		asks  bool
	}{{nil, true}, {&tls.Config{MinVersion: tls.VersionTLS13}, true}, {&tls.Config{RootCAs: x509.NewCertPool()}, false}, {&tls.Config{InsecureSkipVerify: true}, false}} {
		c := fetch.New()
		c.TLS = test.flags
		b := browse.New(t.Context(), &browse.Config{Client: c})
		if err := askIn(b, a, c); err != nil || (c.FirstUse != nil) != test.asks {
			t.Errorf("%+v: got %v and asks %v, want %v", test.flags, err, c.FirstUse != nil, test.asks)
		}
		b.Close()
		c.Close()
	}
}
