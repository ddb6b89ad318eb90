package main

import (
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
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
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
		opened, gone := make(chan bool, 1), make(chan bool)
		go func() { // opening for writing blocks until the FIFO is opened for reading
			defer close(gone)
			if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
				opened <- true
				f.Close()
			}
		}()
		cmd := derefCommand(t)(tt.uri)
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+fifo, "SSL_CERT_DIR="+t.TempDir())
		out, err := cmd.Output()
		if (err != nil) != tt.want {
			t.Errorf("%s: got %q, %v; want an error: %v", tt.uri, out, err, tt.want)
		}
		var patience time.Duration
		if tt.want {
			patience = 10 * time.Second // the FIFO was opened, but the goroutine may not have reported it yet
		}
		select {
		case <-opened:
			if !tt.want {
				t.Errorf("%s: got the certificates read, want them unread", tt.uri)
			}
		case <-time.After(patience):
			if tt.want {
				t.Errorf("%s: got the certificates unread, want them read", tt.uri)
			}
		}
		if f, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			<-gone
			f.Close()
		}
	}
}
