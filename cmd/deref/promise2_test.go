package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// The file holds what it held, or the whole document, wherever the conversation breaks off (promise 2).
func TestPromise2EverySchemeKeepsTheFile(t *testing.T) {
	t.Parallel()
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte, try func(func())) {
		octets := wholeOf(t, newClient, u)
		dir := t.TempDir()
		for i, at := range points(octets, 30) {
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
					t.Errorf("at %d of %d the file has %d bytes, %v", at, octets, len(got), rerr)
				}
				if err == nil && !bytes.Equal(got, want) {
					t.Errorf("at %d of %d: no error, and a file of %d bytes", at, octets, len(got))
				}
			})
		}
	})
}

// A signal at any time does the same (promise 2).
func TestPromise2EverySchemeAndSignals(t *testing.T) {
	t.Parallel()
	command := derefCommand(t)
	everyScheme(t, func(t *testing.T, _ func() *fetch.Client, u uri.URI, want []byte) {
		path := filepath.Join(t.TempDir(), "file")
		for i, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := command("--tofu", "-m", "10", "-o", path, u.String())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(10+15*i) * time.Millisecond)
			cmd.Process.Signal(sig)
			err := cmd.Wait()
			got, rerr := os.ReadFile(path)
			if rerr != nil || !bytes.Equal(got, want) && (string(got) != "old" || err == nil) {
				t.Errorf("after %s (%v) the file has %d bytes, %v", sig, err, len(got), rerr)
			}
		}
	})
}
