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

// A file that is continued becomes the whole document, or an error leaves it unchanged: after a break at any point, and also if the file
// is not the beginning of the document (promise 10).
func TestPromise10EverySchemeResumes(t *testing.T) {
	long(t, "it takes most of a minute")
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte, try func(func())) {
		total := wholeOf(t, newClient, u)
		for _, at := range points(total, 10) {
			try(func() {
				path := filepath.Join(t.TempDir(), "file")
				attempt := func(meddling bool) error {
					c := newClient()
					defer c.Close()
					if meddling {
						c.Timeouts = brief()
						meddle(c, at, breaks)
					}
					_, err := save.File(t.Context(), c, u, nil, &save.Options{Path: path, Resume: true})
					return err
				}
				if err := attempt(true); err != nil {
					if _, err := os.Stat(path); err == nil {
						t.Errorf("at %d: got an error and a file, want no file", at)
					}
				}
				err := attempt(false)
				if got, _ := os.ReadFile(path); err == nil && !bytes.Equal(got, want) {
					t.Errorf("continued at %d: got %d bytes that differ from the document's %d", at, len(got), len(want))
				} else if kind := fetch.KindOf(err); err != nil && kind != fetch.ErrRange && kind != fetch.ErrChanged && kind != fetch.ErrInteractive {
					t.Errorf("continued at %d: got %v, want the document, range, changed or interactive", at, err)
				}
			})
		}
		other := bytes.Repeat([]byte("\xfe"), len(want)+5)
		for _, old := range [][]byte{other[:1], other[:len(want)/2], other[:len(want)], other, want[:len(want)/2], want} {
			try(func() {
				path := filepath.Join(t.TempDir(), "file")
				if err := os.WriteFile(path, old, 0o600); err != nil {
					t.Error(err)
					return
				}
				c := newClient()
				_, err := save.File(t.Context(), c, u, nil, &save.Options{Path: path, Resume: true})
				c.Close()
				got, _ := os.ReadFile(path)
				if err == nil && !bytes.Equal(got, want) || err != nil && !bytes.Equal(got, old) && !bytes.Equal(got, want) {
					t.Errorf("over %d bytes: got %d bytes, %v; want the document, or an error and the old file", len(old), len(got), err)
				}
			})
		}
	})
}

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
