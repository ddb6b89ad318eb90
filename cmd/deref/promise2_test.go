package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// Wherever the conversation breaks off, the file is unchanged or holds the whole document (promise 2).
func TestPromise2EverySchemeKeepsTheFile(t *testing.T) {
	t.Parallel()
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte, try func(func())) {
		total := wholeOf(t, newClient, u)
		dir := t.TempDir()
		for i, at := range points(total, 30) {
			try(func() {
				path := filepath.Join(dir, string(rune('a'+i)))
				os.WriteFile(path, []byte("old"), 0o600)
				c := newClient()
				c.Timeouts = brief()
				defer c.Close()
				meddle(c, at, breaks)
				_, err := save.File(t.Context(), c, u, nil, &save.Options{Path: path})
				got, rerr := os.ReadFile(path)
				if rerr != nil || !bytes.Equal(got, want) && string(got) != "old" {
					t.Errorf("at %d of %d: got a file of %d bytes, %v; want the old file or the document", at, total, len(got), rerr)
				}
				if err == nil && !bytes.Equal(got, want) {
					t.Errorf("at %d of %d: got no error and a file of %d bytes, want %d", at, total, len(got), len(want))
				}
			})
		}
	})
}

// A signal at any time leaves either the complete file or no file, for every scheme (promise 2).
func TestPromise2EverySchemeAndSignals(t *testing.T) {
	long(t, "many commands or processes")
	command := derefCommand(t)
	everyScheme(t, func(t *testing.T, _ func() *fetch.Client, u uri.URI, want []byte) {
		path := filepath.Join(t.TempDir(), "file")
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := command("--tofu", "-m", "10", "-o", path, u.String())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			loopback.Pause(50 * time.Millisecond)
			cmd.Process.Signal(sig)
			err := cmd.Wait()
			got, rerr := os.ReadFile(path)
			if rerr != nil || !bytes.Equal(got, want) && (string(got) != "old" || err == nil) {
				t.Errorf("after %s (%v): got a file of %d bytes, %v; want the old file or the document", sig, err, len(got), rerr)
			}
		}
	})
}
