//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A terminal that is closed ends a retrieval as Ctrl-C does: the command keeps the file of the final name, and exits as a
// shell reports for programs without -o, which the signal ends at once.
func TestSignalsInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal == syscall.SIGHUP {
			// signal.Ignored forgets what this process inherited as soon as a session of another test has handled the signal.
			if out, _ := exec.Command("sh", "-c", "kill -HUP $$; echo ignored").Output(); len(out) > 0 {
				continue // the tests run under nohup, and so would the command
			}
		}
		asked, end := make(chan bool, 1), make(chan bool)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("a part"))
			w.(http.Flusher).Flush()
			asked <- true
			<-end
		}))
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := derefCommand(t)("-o", file, server.URL)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-asked
		cmd.Process.Signal(signal)
		cmd.Wait()
		if code, want := cmd.ProcessState.ExitCode(), 128+int(signal); code != want {
			t.Errorf("%v: %v, want exit status %d", signal, cmd.ProcessState, want)
		}
		if b, err := os.ReadFile(file); string(b) != "old" {
			t.Errorf("%v: got the file %q, %v, want it unchanged", signal, b, err)
		}
		close(end)
		server.Close()
	}
}
