package main

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestRootsAreReadForTLSAlone checks that only URIs that use TLS read the system's certificates, which takes a third of a millisecond.
func TestRootsAreReadForTLSAlone(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("text\n")) })
	plain, secure := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	defer plain.Close()
	defer secure.Close()
	file := write(t, filepath.Join(t.TempDir(), "file"), "text\n")
	for _, tt := range []struct {
		uri  string
		want bool
	}{
		{"file://" + file, false},
		{"data:,text", false},
		{plain.URL, false},
		{secure.URL, true},
	} {
		fifo := filepath.Join(t.TempDir(), "roots")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Skip(err)
		}
		gone := make(chan bool)
		go func() { // opening for writing blocks until the FIFO is opened for reading
			defer close(gone)
			if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
				f.WriteString("x")
				f.Close()
			}
		}()
		cmd := derefCommand(t)(tt.uri)
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+fifo, "SSL_CERT_DIR="+t.TempDir())
		out, err := cmd.Output()
		if (err != nil) != tt.want {
			t.Errorf("%s: got %q, %v; want an error: %v", tt.uri, out, err, tt.want)
		}
		if tt.want {
			<-gone // the FIFO was opened
			continue
		}
		f, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		<-gone
		if n, err := f.Read(make([]byte, 1)); n != 1 {
			t.Errorf("%s: got the certificates read (%v), want them unread", tt.uri, err)
		}
		f.Close()
	}
}

// A root in SSL_CERT_FILE suffices: the other files are not read. A root in one of these is found nevertheless.
func TestRootsOfOneFileSuffice(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("text\n")) }))
	defer s.Close()
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	dir := t.TempDir()
	full, empty, dirOfRoot, dirOfFIFO := filepath.Join(dir, "full"), filepath.Join(dir, "empty"), filepath.Join(dir, "root"), filepath.Join(dir, "fifo")
	if err := errors.Join(os.WriteFile(full, root, 0o600), os.WriteFile(empty, nil, 0o600), os.Mkdir(dirOfRoot, 0o700),
		os.WriteFile(filepath.Join(dirOfRoot, "root.pem"), root, 0o600), os.Mkdir(dirOfFIFO, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dirOfFIFO, "fifo.pem"), 0o600); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct{ file, dir string }{
		{full, dirOfFIFO}, // whoever reads the FIFO waits for a writer
		{empty, dirOfRoot},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := derefCommand(t)(s.URL)
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+tt.file, "SSL_CERT_DIR="+tt.dir)
		stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
		out, err := cmd.CombinedOutput()
		stop()
		cancel()
		if err != nil || string(out) != "text\n" {
			t.Errorf("%+v: got %q, %v, want the document", tt, out, err)
		}
	}
}
