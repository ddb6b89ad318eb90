//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// TestListOutlivesSIGKILL checks that the same command, run again after SIGKILL at any point, fetches the rest, and that every file is
// complete at any time.
func TestListOutlivesSIGKILL(t *testing.T) {
	long(t, "many commands or processes")
	const documents = 400
	content := func(name string) []byte { return bytes.Repeat([]byte(name), 5000) }
	var served, last atomic.Int64 // requests so far, and the one that ends its client
	var client atomic.Pointer[os.Process]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, end := served.Add(1), last.Load(); end > 0 && n >= end {
			client.Load().Kill()
			return
		}
		b := content(r.URL.Path[1:])
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b[:len(b)/2])
		w.(http.Flusher).Flush()
		loopback.Pause(10 * time.Millisecond)
		w.Write(b[len(b)/2:])
	}))
	defer server.Close()
	dir, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	list := filepath.Join(filepath.Dir(state), "list")
	var b strings.Builder
	for i := range documents {
		fmt.Fprintf(&b, "%s/d%04d.bin\n", server.URL, i)
	}
	if err := os.WriteFile(list, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := func() (n int) {
		names, _ := os.ReadDir(dir)
		for _, f := range names {
			if strings.HasPrefix(f.Name(), ".deref-") || strings.Contains(f.Name(), ".part") {
				continue
			}
			if got, _ := os.ReadFile(filepath.Join(dir, f.Name())); !bytes.Equal(got, content(f.Name())) {
				t.Errorf("%s: got %d bytes, want the %d of the document", f.Name(), len(got), len(content(f.Name())))
			}
			n++
		}
		return n
	}
	command := derefCommand(t)
	kills := 0
	for ; ; kills++ {
		cmd := command("-O", "--output-dir", dir, "--state", state, "--input", list)
		var out strings.Builder
		cmd.Stderr = &out
		last.Store(-1)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		client.Store(cmd.Process)
		last.Store(served.Load() + 30 + rand.Int64N(40))
		err := cmd.Wait()
		n := whole()
		if err == nil {
			if n != documents {
				t.Errorf("got %d files, want %d: %s", n, documents, out.String())
			}
			break
		}
		if cmd.ProcessState.ExitCode() >= 0 {
			t.Fatalf("got %v, want a killed process: %s", err, out.String())
		}
	}
	if kills < 2 {
		t.Errorf("got %d kills, want at least 2: the test proves nothing", kills)
	}
}
