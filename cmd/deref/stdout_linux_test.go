package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"example.org/deref/fetch/fetchtest/loopback"
)

// TestPromise5NobodyReadsTheOutput checks that a pipe whose reader has stopped blocks the command no longer than the request's timeout,
// and that a signal ends it, whether or not the document's bytes pass through the process.
func TestPromise5NobodyReadsTheOutput(t *testing.T) {
	long(t, "many commands or processes")
	lines := []byte(strings.Repeat("0123456789abcde\n", 4<<10))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			w.Header().Set("Content-Length", "67108864")
		}
		w.Header().Set("Content-Type", "text/plain")
		for range 1 << 10 {
			if _, err := w.Write(lines); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	const interrupted, timedOut = 130, 12
	for _, tt := range []struct {
		name   string
		args   string
		signal bool
		want   int
	}{
		{"time, spliced", "--max-time 1 URI/long", false, timedOut},
		{"time, chunks", "--max-time 1 URI/chunks", false, timedOut},
		{"time, a trace", "--max-time 1 -v -o - URI/long", false, timedOut},
		{"time, a view", "--max-time 1 --format text URI/chunks", false, timedOut},
		{"signal, an archive", "--warc FILE URI/long", true, interrupted},
		{"time, a list", "--max-time 1 -Z URI/long URI/chunks", false, timedOut},
		{"signal, a list", "-Z URI/long URI/chunks", true, interrupted},
		{"signal, default", "URI/long", true, -1},
		{"signal, -o -", "-o - URI/long", true, interrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := strings.NewReplacer("FILE", filepath.Join(t.TempDir(), "file.warc"), "URI", server.URL).Replace(tt.args)
			cmd := derefCommand(t)(strings.Fields(args)...)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd.Stdout = w
			start(t, cmd)
			defer w.Close()
			if tt.signal {
				loopback.Until(t, "full pipe", func() bool {
					n, err := unix.Poll([]unix.PollFd{{Fd: int32(w.Fd()), Events: unix.POLLOUT}}, 0)
					return n == 0 && err == nil
				})
				cmd.Process.Signal(syscall.SIGINT)
			}
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.want {
				t.Errorf("%v, want exit status %d", cmd.ProcessState, tt.want)
			}
		})
	}
}
