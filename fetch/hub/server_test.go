//go:build unix || windows

package hub_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
)

// secure starts a server with TLS and a token.
func secure(t *testing.T, dir, addr string) *hub.Server {
	t.Helper()
	s, err := hub.Serve(&hub.ServerOptions{Dir: dir, Addr: addr, Secure: true, SyncInterval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A worker ends once the hub refuses its login.
func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	dir, addr := t.TempDir(), loopback.Reserve(t)
	s := secure(t, dir, addr)
	j := newJob(t, dial(t, s.URL(""), nats.ReconnectWait(time.Millisecond), nats.ReconnectJitter(0, 0)), "refused", &hub.JobOptions{Partitions: 1, Lease: time.Second})
	owned, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- j.Work(t.Context(), nil, &hub.WorkOptions{Dir: t.TempDir(), Report: func(event string, _ ...any) {
			if event == "partitions" {
				close(owned)
			}
		}})
	}()
	<-owned
	at, err := url.Parse(s.URL(""))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	name, in := filepath.Join(dir, "identity.pem"), base64.StdEncoding.EncodeToString
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	token := at.User.Username()
	if err := os.WriteFile(name, bytes.Replace(text, []byte(in([]byte(token))), []byte(in(bytes.Repeat([]byte("X"), len(token)))), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	defer secure(t, dir, addr).Close()
	if err := <-ended; fetch.KindOf(err) != fetch.ErrAuth {
		t.Errorf("got %v, want %s", err, fetch.ErrAuth)
	}
}

// A secure server is reached by its own URL only, which remains the same.
func TestSecureServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := secure(t, dir, "127.0.0.1:0")
	good := s.URL("")
	_, err := hub.Serve(&hub.ServerOptions{Dir: dir})
	if !errors.Is(err, hub.ErrInUse) {
		t.Errorf("got %v from a second server in the directory, want %v", err, hub.ErrInUse)
	}
	scheme, rest, _ := strings.Cut(good, "://")
	token, rest, _ := strings.Cut(rest, "@")
	at, pin, ok := strings.Cut(rest, "/sha256-")
	if scheme != "tls" || len(token) < 26 || !ok || len(pin) != 64 {
		t.Fatalf("got %s, want tls://TOKEN@HOST:PORT/sha256-DIGEST", good)
	}
	for what, c := range map[string]struct {
		url  string
		kind fetch.Kind
	}{
		"its URL":            {good, ""},
		"another pin":        {strings.Replace(good, pin, strings.Repeat("0", 64), 1), fetch.ErrTLS},
		"a short pin":        {good[:len(good)-2], fetch.ErrRefusedURL},
		"another token":      {strings.Replace(good, token, "other", 1), fetch.ErrAuth},
		"no token":           {"tls://" + at + "/sha256-" + pin, fetch.ErrAuth},
		"no pin":             {"tls://" + token + "@" + at, fetch.ErrTLS},
		"no TLS":             {"nats://" + token + "@" + at, fetch.ErrTLS},
		"a pin and a TCP":    {strings.Replace(good, "tls:", "nats:", 1), fetch.ErrRefusedURL},
		"nonsense":           {"tls://" + token + "@[", fetch.ErrRefusedURL},
		"nonsense in a list": {"tls://" + token + "@" + at + ",tls://" + token + "@[", fetch.ErrRefusedURL},
		"a pin in a list":    {good + ",tls://" + at, fetch.ErrRefusedURL},
		"another scheme":     {"http://" + token + "@" + at, fetch.ErrRefusedURL},
		"no server":          {"nats://" + token + "@" + loopback.Reserve(t), fetch.ErrConnect},
		"no server, no name": {token + "@" + loopback.Reserve(t), fetch.ErrConnect},
	} {
		conn, err := hub.Dial(c.url, nats.Timeout(time.Minute))
		if fetch.KindOf(err) != c.kind {
			t.Errorf("%s: got %v, want the kind %q", what, err, c.kind)
		}
		if err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%s: got %q, want no token", what, err)
		}
		if conn != nil {
			if _, err := hub.Create(t.Context(), conn, "job", &hub.JobOptions{Partitions: 1}); err != nil {
				t.Errorf("%s: got %v, want a job", what, err)
			}
			conn.Close()
		}
	}
	in, err := s.Connect()
	if err != nil {
		t.Errorf("got %v within the process, want a connection", err)
	} else {
		in.Close()
	}
	if got := s.URL("hub.example"); !strings.Contains(got, "@hub.example:") || !strings.HasSuffix(got, pin) {
		t.Errorf("got %s, want the given host", got)
	}
	s.Close()
	again := secure(t, dir, "127.0.0.1:0")
	defer again.Close()
	if got := again.URL(""); !strings.HasSuffix(got, pin) || !strings.Contains(got, token) {
		t.Errorf("got %s after a new start, want the token and the digest of %s", got, good)
	}
}

func TestOnlySecureBeyondLoopback(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "hub.example:0", "[::]:0"} {
		s, err := hub.Serve(&hub.ServerOptions{Dir: t.TempDir(), Addr: addr})
		if fetch.KindOf(err) != fetch.ErrDenied {
			t.Errorf("%s: got %v, want %s", addr, err, fetch.ErrDenied)
		}
		if s != nil {
			s.Close()
		}
	}
}

// Drain ends the workers with a name, and their partitions are free.
func TestDrain(t *testing.T) {
	simulate(t, 0, func(h *history) {
		j := newJob(h.T, h.conn, "drained", &hub.JobOptions{Partitions: 4})
		ended := make(chan string, 2)
		for _, name := range []string{"a-1", "b"} {
			go func() {
				if err := j.Work(h.ended, nil, &hub.WorkOptions{Name: name, Dir: h.TempDir()}); err != nil {
					h.Errorf("%s: got %v, want nil", name, err)
				}
				ended <- name
			}()
		}
		h.until("two workers", func(ctx context.Context) error {
			s, err := j.Status(ctx)
			if err == nil && len(s.Workers()) != 2 {
				err = fmt.Errorf("%v", s.Workers())
			}
			return err
		})
		for _, name := range []string{"a-1", ""} {
			list, err := j.Drain(h.ended, name)
			if err != nil || len(list) != 1 {
				h.Errorf("%q: got %v, %v, want one worker", name, list, err)
			}
			if got, want := <-ended, map[string]string{"a-1": "a-1", "": "b"}[name]; got != want {
				h.Errorf("%q: got the end of %s, want that of %s", name, got, want)
			}
		}
		if s, err := j.Status(h.ended); err != nil || len(s.Workers()) != 0 {
			h.Errorf("got %v, %v after draining, want no owners", s.Workers(), err)
		}
	})
}

// A server reports why it cannot start, at once.
func TestCannotStart(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]*hub.ServerOptions{
		l.Addr().String():                      {Dir: t.TempDir(), Addr: l.Addr().String()},
		"storage directory is not a directory": {Dir: dir},
	} {
		s, err := hub.Serve(o)
		if fetch.KindOf(err) != fetch.ErrLocal || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s with %q", err, fetch.ErrLocal, want)
		}
		if s != nil {
			s.Close()
		}
	}
}

// A full log refuses more URIs, and keeps those that it has accepted.
func TestFullLog(t *testing.T) {
	t.Parallel()
	c := connect(t)
	j := newJob(t, c, "full", &hub.JobOptions{Partitions: 1, MaxBytes: 20_000})
	n, err := 0, error(nil)
	for ; n < 1000; n++ {
		if _, err = j.Add(linkedPage(n), nil); err != nil {
			break
		}
	}
	if fetch.KindOf(err) != fetch.ErrDisk || n < 10 {
		t.Errorf("got %v after %d URIs, want %s", err, n, fetch.ErrDisk)
	}
	if s, err := j.Status(t.Context()); err != nil || s.Added != int64(n) {
		t.Errorf("got %+v, %v, want the %d URIs that were accepted", s, err, n)
	}
}
