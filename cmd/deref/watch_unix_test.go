//go:build unix

package main

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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
