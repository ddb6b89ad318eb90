//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestListOutlivesSIGKILL checks that the same command, run again after SIGKILL at any point, fetches the rest, and that every file is
// complete at any time.
func TestListOutlivesSIGKILL(t *testing.T) {
	if testing.Short() {
		t.Skip("many commands or processes")
	}
	t.Parallel()
	const documents = 400
	content := func(name string) []byte { return bytes.Repeat([]byte(name), 5000) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := content(r.URL.Path[1:])
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b[:len(b)/2])
		w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
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
	for ; kills < 100; kills++ {
		cmd := command("-O", "--output-dir", dir, "--state", state, "--input", list)
		var out strings.Builder
		cmd.Stderr = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(100+7*kills)*time.Millisecond, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		kill.Stop()
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
