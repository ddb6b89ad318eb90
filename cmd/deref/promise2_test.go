package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
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
