package tofu

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
)

// server makes a certificate with a new key, or the key of like, that is valid until the given time.
func server(t testing.TB, until time.Time, like *ecdsa.PrivateKey) (tls.ConnectionState, *ecdsa.PrivateKey) {
	t.Helper()
	key := like
	if key == nil {
		var err error
		if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(until.UnixNano()), NotBefore: until.Add(-365 * 24 * time.Hour), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return tls.ConnectionState{PeerCertificates: []*x509.Certificate{c}}, key
}

var errUnknown = errors.New("unknown authority")

func TestTrust(t *testing.T) { synctest.Test(t, trust) }

func trust(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known-hosts")
	now := time.Now()
	open := func() *Store {
		t.Helper()
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, key := server(t, now.AddDate(0, 6, 0), nil)
	renewed, _ := server(t, now.AddDate(0, 11, 0), key)
	other, _ := server(t, now.AddDate(0, 11, 0), nil)
	expired, _ := server(t, now.AddDate(0, -1, 0), nil)

	s := open()
	check := func(what, addr string, state tls.ConnectionState, want fetch.Kind) {
		t.Helper()
		if err := s.Check(addr, state, errUnknown); fetch.KindOf(err) != want {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	check("first use", "h.example:1965", first, "")
	check("the same again", "H.example:1965", first, "")
	check("renewed, with its key", "h.example:1965", renewed, "")
	check("another key", "h.example:1965", other, fetch.ErrTLS)
	check("another port", "h.example:70", other, "")
	if err := s.Check("new.example:1965", expired, errUnknown); err != errUnknown {
		t.Errorf("expired at first use: got %v, want %v", err, errUnknown)
	}

	s = open() // another process
	check("as in the file", "h.example:1965", first, "")
	check("another key, by the file", "h.example:1965", other, fetch.ErrTLS)
	time.Sleep(now.AddDate(0, 7, 0).Sub(now))
	check("another key, the old one's time is over", "h.example:1965", other, "")
	check("the old key again", "h.example:1965", renewed, fetch.ErrTLS)

	s = open()
	check("the last line counts", "h.example:1965", other, "")
	b, err := os.ReadFile(path)
	if n := strings.Count(string(b), "\n"); err != nil || n != 3 {
		t.Errorf("got %d lines, %v: %s; want n 3", n, err, b)
	}
}

// TestEditedFile: a key is remembered on a line of its own, also in a file that an editor has left without a line end.
func TestEditedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known-hosts")
	if err := os.WriteFile(path, []byte("old.example:1965 sha256:00 2030-01-01T00:00:00Z"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	state, _ := server(t, time.Now().Add(time.Hour), nil)
	if err := s.Check("new.example:1965", state, errUnknown); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path); err != nil || len(s.known) != 2 {
		t.Errorf("got %v, %v; want both keys", s, err)
	}
}

func TestWithoutFile(t *testing.T) {
	var s Store
	a, _ := server(t, time.Now().Add(time.Hour), nil)
	b, _ := server(t, time.Now().Add(time.Hour), nil)
	if err := s.Check("h:1", a, errUnknown); err != nil {
		t.Error(err)
	}
	if err := s.Check("h:1", b, errUnknown); !errors.Is(err, fetch.ErrTLS) {
		t.Errorf("got %v, want ErrTLS", err)
	}
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"fields": "h:1\n", "hash": "h:1 md5:00 2030-01-01T00:00:00Z\n",
		"date": "h:1 sha256:00 tomorrow\n", "long": strings.Repeat("x", 1<<17)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("%s: got %v, want ErrLocal", name, err)
		}
	}
	s, err := Open(filepath.Join(dir, "missing", "file"))
	if err != nil {
		t.Fatal(err)
	}
	state, _ := server(t, time.Now().Add(time.Hour), nil)
	for range 2 { // also the second time
		if err := s.Check("h:1", state, errUnknown); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("a key that cannot be remembered: got %v, want ErrLocal", err)
		}
	}
}

// FuzzLine: an accepted line is one that remember would write.
func FuzzLine(f *testing.F) {
	f.Add("h:1 sha256:00 2030-01-01T00:00:00Z")
	f.Add("# comment")
	f.Fuzz(func(t *testing.T, line string) {
		var s Store
		if err := s.line(line); err != nil && len(s.known) > 0 {
			t.Errorf("%q: got %v, but the line was accepted", line, err)
		}
		for addr, p := range s.known {
			if addr == "" || !strings.HasPrefix(p.key, hashName) {
				t.Errorf("%q: got %q %+v, want non-empty addr and key starting with %q", line, addr, p, hashName)
			}
		}
	})
}
