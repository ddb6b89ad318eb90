//go:build unix

package secretfile_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/secretfile"
)

// A file with both the certificate and the key is read once: it may be the pipe that a shell substitutes for <(command).
func TestCertificateInPipe(t *testing.T) {
	cert, err := loopback.Certificate(nil, "alice")
	if err != nil {
		t.Fatal(err)
	}
	both, err := loopback.PEM(&tls.Config{Certificates: []tls.Certificate{*cert}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	go os.WriteFile(name, both, 0)
	o := &fetch.Options{Set: map[string][]string{"http.cert": {name}}}
	if pair, err := secretfile.ClientCertOf(o, "http").Load(); err != nil || pair == nil {
		t.Errorf("got %v, %v; want the certificate", pair, err)
	}
}
