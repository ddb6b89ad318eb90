package warc_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// Writers that begin at the same moment: with a size all get files of their own, and without one a single writer gets the file. The others report
// that it is in use, never that its writer was killed.
func TestSimultaneousWriters(t *testing.T) {
	const writers = 8
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	for _, o := range []warc.Options{{}, {Size: 1 << 20}} {
		dir := t.TempDir()
		for round := range rounds {
			name := filepath.Join(dir, fmt.Sprint(round)+".warc")
			var all sync.WaitGroup
			var ws [writers]*warc.Writer
			var errs [writers]error
			begin := make(chan struct{})
			for i := range writers {
				all.Go(func() {
					<-begin
					ws[i], errs[i] = warc.Create(name, &o)
				})
			}
			close(begin)
			all.Wait()
			got := 0
			for i, w := range ws {
				if errs[i] == nil {
					got++
					finish(t, w)
				} else if text := errs[i].Error(); text != name+warc.Unfinished+" is in use by another process" {
					t.Errorf("size %d, round %d: got %q, want that it is in use", o.Size, round, text)
				}
			}
			if names, _ := filepath.Glob(filepath.Join(dir, fmt.Sprint(round)+`[.\-]*warc`)); len(names) != got {
				t.Errorf("size %d, round %d: got the files %v of %d writers", o.Size, round, names, got)
			}
			if want := map[bool]int{false: 1, true: writers}[o.Size > 0]; got != want {
				t.Fatalf("size %d, round %d: got %d writers, want %d", o.Size, round, got, want)
			}
		}
	}
}

// An empty file of a process that was killed before its first record holds nothing that could be lost.
func TestEmptyFileIsTaken(t *testing.T) {
	for what, o := range map[string]warc.Options{"new": {}, "replace": {Replace: true}, "resume": {Resume: true}, "append": {Append: true}} {
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a.warc")
			write(t, name+warc.Unfinished, nil)
			w, err := warc.Create(name, &o)
			if err != nil {
				t.Fatalf("got %v, want a writer", err)
			}
			if _, err := warc.Create(name, &o); fetch.KindOf(err) != fetch.ErrLocal {
				t.Errorf("a second writer: got %v, want local", err)
			}
			finish(t, w)
			if _, err := os.Stat(name + warc.Unfinished); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want no %s", err, filepath.Base(name+warc.Unfinished))
			}
		})
	}
}
