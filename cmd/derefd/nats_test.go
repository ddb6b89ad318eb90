//go:build unix || windows

package main

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"example.org/deref/fetch/fetchtest/loopback"
)

// natsServer starts a server of NATS as its users configure it, and returns its URL.
func natsServer(t *testing.T, o *server.Options) string {
	t.Helper()
	o.JetStream, o.StoreDir, o.MaxPayload, o.SyncInterval = true, t.TempDir(), 1_114_112, time.Minute
	return startNATS(t, o)
}

// startNATS starts a server of NATS on a free port, and returns its URL.
func startNATS(t *testing.T, o *server.Options) string {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("got no server")
	}
	return s.ClientURL()
}

// A key is a pair of an operator, account or user.
type key struct{ public, seed string }

func newKey(t *testing.T, create func() (nkeys.KeyPair, error)) (pair nkeys.KeyPair, k key) {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	if k.public, err = pair.PublicKey(); err != nil {
		t.Fatal(err)
	}
	k.seed = string(seed)
	return pair, k
}

// secretFile writes a file that only the user can read.
func secretFile(t *testing.T, text string) string { return fileIn(t, t.TempDir(), "secret", text) }

// encoded returns the JWT of claims that a key signs.
func encoded(t *testing.T, c jwt.Claims, by nkeys.KeyPair) string {
	t.Helper()
	text, err := c.Encode(by)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// operated starts a server with an operator, whose users log in with a JWT. It returns a function that makes the file of a user, and the user's seed.
func operated(t *testing.T) (url string, user func(known bool) (file, seed string)) {
	t.Helper()
	operator, op := newKey(t, nkeys.CreateOperator)
	resolver := &server.MemAccResolver{}
	account := func(limits jwt.JetStreamLimits) (nkeys.KeyPair, string) {
		pair, k := newKey(t, nkeys.CreateAccount)
		claims := jwt.NewAccountClaims(k.public)
		claims.Limits.JetStreamLimits = limits
		if err := resolver.Store(k.public, encoded(t, claims, operator)); err != nil {
			t.Fatal(err)
		}
		return pair, k.public
	}
	_, system := account(jwt.JetStreamLimits{})
	known, _ := account(jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1})
	unknown, _ := newKey(t, nkeys.CreateAccount)
	claims := jwt.NewOperatorClaims(op.public)
	claims.SystemAccount = system
	decoded, err := jwt.DecodeOperatorClaims(encoded(t, claims, operator))
	if err != nil {
		t.Fatal(err)
	}
	url = natsServer(t, &server.Options{TrustedOperators: []*jwt.OperatorClaims{decoded}, SystemAccount: system, AccountResolver: resolver})
	return url, func(isKnown bool) (file, seed string) {
		_, k := newKey(t, nkeys.CreateUser)
		by := known
		if !isKnown {
			by = unknown
		}
		text, err := jwt.FormatUserConfig(encoded(t, jwt.NewUserClaims(k.public), by), []byte(k.seed))
		if err != nil {
			t.Fatal(err)
		}
		return secretFile(t, string(text)), k.seed
	}
}

// selfSigned returns the configuration of a server, and its certificate.
func selfSigned(t *testing.T) (config *tls.Config, certificate string) {
	t.Helper()
	config, _, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	pem, err := loopback.PEM(config)
	if err != nil {
		t.Fatal(err)
	}
	certificate, _, _ = strings.Cut(string(pem), "-----BEGIN PRIVATE")
	return config, certificate
}

// Jobs are carried out with the servers of others, which know users by nkey or JWT, or have a certificate. Wrong credentials are refused clearly,
// and no message contains them.
func TestNATS(t *testing.T) {
	long(t, "it carries out a job three times")
	_, good := newKey(t, nkeys.CreateUser)
	_, other := newKey(t, nkeys.CreateUser)
	byKey := natsServer(t, &server.Options{Nkeys: []*server.NkeyUser{{Nkey: good.public}}})
	byJWT, user := operated(t)
	goodUser, _ := user(true)
	otherUser, otherSeed := user(false)
	config, certificate := selfSigned(t)
	byTLS := natsServer(t, &server.Options{TLSConfig: config, TLSTimeout: 10})
	_, otherCertificate := selfSigned(t)
	web := servers(t, "http")[0].URL
	job := func() string {
		return jobOf(t, "task = \"check\"\npartitions = 2\nseeds = [\""+web+"/history/ftp.txt\"]\n")
	}
	for _, args := range [][]string{
		{"--hub", byKey, "--nkey", secretFile(t, good.seed)},
		{"--hub", byJWT, "--credentials", goodUser},
		{"--hub", byTLS, "--ca", secretFile(t, certificate)},
	} {
		for _, command := range []string{"work", "run"} {
			name := job()
			if command == "work" {
				derefd(t, 0, append([]string{"add", name, os.DevNull}, args...)...)
			} else {
				name = strings.TrimSuffix(name, "job.toml") + "job2.toml"
				if err := os.Rename(filepath.Join(filepath.Dir(name), "job.toml"), name); err != nil {
					t.Fatal(err)
				}
			}
			derefd(t, 0, append([]string{command, name}, args...)...)
			if out, _ := derefd(t, 0, append([]string{"status", name}, args...)...); !strings.Contains(out, "finished; 1 URIs, 1 done") {
				t.Errorf("%s %v: got %q, want one URI done", command, args, out)
			}
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--hub", byKey}, 6, "refuses the login"},
		{[]string{"--hub", byKey, "--nkey", secretFile(t, other.seed)}, 6, "refuses the login"},
		{[]string{"--hub", byKey, "--nkey", secretFile(t, other.seed[:20])}, 14, "does not contain the seed"},
		{[]string{"--hub", byJWT}, 6, "refuses the login"},
		{[]string{"--hub", byJWT, "--credentials", otherUser}, 6, "refuses the login"},
		{[]string{"--hub", byJWT, "--credentials", secretFile(t, other.seed)}, 14, "does not contain the JWT"},
		{[]string{"--hub", byTLS}, 5, "certificate"},
		{[]string{"--hub", byTLS, "--ca", secretFile(t, otherCertificate)}, 5, "certificate"},
		{[]string{"--hub", byTLS, "--ca", secretFile(t, "nothing")}, 14, "--ca: "},
	} {
		_, got := derefd(t, c.code, append([]string{"work", job()}, c.args...)...)
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: got %q, want %q", c.args, got, c.want)
		}
		for _, secret := range []string{good.seed, other.seed, other.seed[:20], otherSeed, "eyJ"} {
			if strings.Contains(got, secret) {
				t.Errorf("%v: got %q, want no secret", c.args, got)
			}
		}
	}
}

// A server of NATS without JetStream is an error that names it, with a hint.
func TestNoJetStream(t *testing.T) {
	t.Parallel()
	url := startNATS(t, &server.Options{})
	for _, command := range []string{"work", "run", "status"} {
		_, got := derefd(t, 15, command, jobOf(t, `task = "check"`), "--hub", url)
		if !strings.Contains(got, "unavailable: the hub: JetStream is not available\n") || !strings.Contains(got, "nats-server -js") {
			t.Errorf("%s: got %q, want an error about JetStream, and a hint", command, got)
		}
	}
}
