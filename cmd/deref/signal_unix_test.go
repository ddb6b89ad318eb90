//go:build unix

package main

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// A terminal that is closed ends a command as Ctrl-C does: the command keeps the file of the final name, and exits as a
// shell reports for programs without -o, which the signal ends at once.
func TestSignalsInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal == syscall.SIGHUP {
			// signal.Ignored forgets what this process inherited as soon as a session of another test has handled the signal.
			if out, _ := exec.Command("sh", "-c", "kill -HUP $$; echo ignored").Output(); len(out) > 0 {
				continue // the tests run under nohup, and so would the command
			}
		}
		for _, line := range []string{"-o", "check --report"} {
			asked, end := make(chan bool, 1), make(chan bool)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Write([]byte("a part"))
				w.(http.Flusher).Flush()
				asked <- true
				<-end
			}))
			file := write(t, filepath.Join(t.TempDir(), "file.json"), "old")
			cmd := derefCommand(t)(append(strings.Fields(line), file, server.URL)...)
			start(t, cmd)
			<-asked
			cmd.Process.Signal(signal)
			cmd.Wait()
			if code, want := cmd.ProcessState.ExitCode(), 128+int(signal); code != want {
				t.Errorf("%s: %v: %v, want exit status %d", line, signal, cmd.ProcessState, want)
			}
			if b, err := os.ReadFile(file); string(b) != "old" {
				t.Errorf("%s: %v: got the file %q, %v, want it unchanged", line, signal, b, err)
			}
			close(end)
			server.Close()
		}
	}
}

// deref watch --every reports each change when it happens, and a signal ends it without an error, also while a command runs.
func TestWatchUntilSignaled(t *testing.T) {
	t.Parallel()
	var version atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("version " + strconv.FormatInt(version.Add(1)/3, 10) + "\n"))
	}))
	t.Cleanup(server.Close)
	cmd := derefCommand(t)("watch", "--every", "10ms", "--diff", "--run", "sleep 1000", server.URL)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	lines := bufio.NewScanner(out)
	var got []string
	for len(got) < 6 && lines.Scan() {
		got = append(got, lines.Text())
	}
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("got %v, want exit status 0", err)
	}
	if len(got) < 6 || got[0] != "changed "+server.URL || !strings.HasPrefix(strings.Join(got[3:], " "), "@@ -1,1 +1,1 @@ -version ") {
		t.Errorf("got %q, want the change and its diff", got)
	}
}
