// Package tofu implements trust on first use for the keys of servers with self-signed certificates, like the known hosts of ssh.
//
//	known, err := tofu.Open(filepath.Join(dir, "known-hosts"))
//	c := fetch.New(schemes.All(nil)...)
//	c.FirstUse = known.Check
//
// It is called only for schemes with such servers (gemini, gophers), and only for certificates that no authority has signed. The key of a
// host and port is remembered at its first use and required from then on. A new key is accepted after the certificate of the old one has
// expired, and refused before that: either the server has changed, or there is an attacker in the middle.
//
// The file has one line for each key; the last one for a host and port counts:
//
//	gemini.example:1965 sha256:2f9d… 2031-05-04T00:00:00Z
//
// It contains the hash of the public key (its SubjectPublicKeyInfo, so that a certificate may be renewed) and the end of the certificate.
// Empty lines and lines that begin with # are ignored.
package tofu

import (
	"bufio"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// A Store holds the known keys. The zero value remembers them only within the process. It is safe for concurrent use.
type Store struct {
	// Confirm, if not nil, decides about a key that is new, or differs from the one that is required. Its error refuses the key. Otherwise the
	// key is trusted now, and also remembered if remember is set. It is called during the handshake, so it should not wait for a user. A nil
	// Confirm remembers a key at its first use and refuses another. Set it before the first use of the Store.
	Confirm func(k Key) (remember bool, err error)

	path string

	mu    sync.Mutex
	known map[string]pin
}

// A pin is a server's key, and until when it is expected.
type pin struct {
	key   string
	until time.Time
}

// A Key is the key of a server, and until when its certificate is valid. Old is the key that is required of the server, "" if none is known.
type Key struct {
	Addr     string // host and port
	Hash     string // "sha256:..."
	Until    time.Time
	Old      string
	OldUntil time.Time
}

// Open reads the file, which need not exist yet. It is created when there is something to remember.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if err := s.line(lines.Text()); err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%s, line %d: %w", path, n, err)
		}
	}
	if err := fetch.LineError(lines.Err(), bufio.MaxScanTokenSize); err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", path, err)
	}
	return s, nil
}

// line parses one line of the file.
func (s *Store) line(line string) error {
	f := strings.Fields(line)
	if len(f) == 0 || f[0][0] == '#' {
		return nil
	}
	if len(f) != 3 || !strings.HasPrefix(f[1], hashName) {
		return errors.New("want host, key and date")
	}
	until, err := time.Parse(time.RFC3339, f[2])
	if err != nil {
		return err
	}
	s.set(f[0], pin{f[1], until})
	return nil
}

func (s *Store) set(addr string, p pin) {
	if s.known == nil {
		s.known = map[string]pin{}
	}
	s.known[addr] = p
}

const hashName = "sha256:"

// keyOf returns the name of a certificate's key.
func keyOf(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return hashName + hex.EncodeToString(sum[:])
}

// Check decides about the certificate of addr, whose verification failed with bad. It is a FirstUse function for a fetch.Client.
func (s *Store) Check(addr string, state tls.ConnectionState, bad error) error {
	addr = strings.ToLower(addr)
	c, now := state.PeerCertificates[0], time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.known[addr]
	switch {
	case known && old.key == keyOf(c):
		return nil
	case known && now.Before(old.until) && s.Confirm == nil:
		return s.changed(addr, old, keyOf(c))
	case now.Before(c.NotBefore), now.After(c.NotAfter):
		return bad
	}
	if s.Confirm != nil {
		k := Key{Addr: addr, Hash: keyOf(c), Until: c.NotAfter}
		if known && now.Before(old.until) {
			k.Old, k.OldUntil = old.key, old.until
		}
		if remember, err := s.Confirm(k); err != nil || !remember {
			return err
		}
	}
	return s.remember(addr, pin{keyOf(c), c.NotAfter})
}

func (s *Store) changed(addr string, old pin, key string) error {
	hint := ""
	if s.path != "" {
		hint = fmt.Sprintf("if the server has a new key, remove the line of %s from %s", addr, s.path)
	}
	return &fetch.Error{Kind: fetch.ErrTLS, Hint: hint, Text: fmt.Sprintf("the key of %s has changed: it was %s until %s, and is %s",
		addr, old.key, old.until.Format(time.DateOnly), key)}
}

// remember appends a line by one write, so that lines of concurrent processes do not mix.
func (s *Store) remember(addr string, p pin) error {
	if s.path == "" {
		s.set(addr, p)
		return nil
	}
	f, err := save.Open(s.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	before, err := f.Stat()
	if err == nil {
		line := fmt.Sprintf("%s %s %s\n", addr, p.key, p.until.UTC().Format(time.RFC3339))
		last := make([]byte, 1)
		if n, _ := f.ReadAt(last, before.Size()-1); n > 0 && last[0] != '\n' { // an editor has omitted it
			line = "\n" + line
		}
		_, err = f.WriteString(line)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		if before != nil {
			os.Truncate(s.path, before.Size()) // half a line would make the file invalid
		}
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	s.set(addr, p)
	return nil
}
