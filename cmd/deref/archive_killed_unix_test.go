//go:build unix

package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/warc"
)

// After a run is killed or interrupted at any time, its archive can be read up to the cut, every file is complete, and the same command continues:
// there are all files, the archive has every page, and all of its records and its index are complete. With -count=8 there are about 200 kills.
func TestKilledArchive(t *testing.T) {
	long(t, "many commands or processes")
	const kills, least = 6, 10
	var total atomic.Int32
	t.Cleanup(func() { // after the parallel tests
		if n := total.Load(); n < least && !t.Failed() {
			t.Errorf("got %d kills of runs, want at least %d: the others ended before", n, least)
		}
	})
	for _, c := range []struct {
		form, way string
		more      []string
	}{
		{"a.warc.gz", "list", nil}, {"a.warc.gz", "mirror", nil}, // TestResume of package warc cuts archives of each form
		{"a.warc", "list", []string{"--warc-size", "20k"}}, {"a.warc.gz", "mirror", []string{"--warc-size", "20k"}},
	} {
		t.Run(fmt.Sprint(c.way, " ", c.form, c.more), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l := newLibrary(t, 150, time.Millisecond)
			archive := filepath.Join(dir, c.form)
			args := append(l.commands(t, dir, archive)[c.way], c.more...)
			left, killed := 0, 0
			for range kills {
				cmd := derefCommand(t)(args...)
				before := l.answered()
				l.holdAfter(before + l.pages/(kills+1)) // no run ends before its kill, and some pages are left for the last one
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				loopback.Until(t, "request of the run, or its end", func() bool { return l.answered() > before || len(ended) > 0 })
				loopback.Pause(10 * time.Millisecond)
				signal, want := syscall.SIGKILL, -1
				if killed%2 == 1 {
					signal, want = syscall.SIGINT, 130
				}
				cmd.Process.Signal(signal)
				if err := <-ended; err == nil {
					break
				}
				if code := cmd.ProcessState.ExitCode(); code != want {
					t.Errorf("%v: got exit status %d, want %d", signal, code, want)
				}
				l.CloseClientConnections() // so that no request of this run is taken for one of the next
				killed++
				total.Add(1)
				l.holdAfter(0)
				l.checkFiles(t, dir)
				now := readableRecords(t, archive)
				if now < left {
					t.Errorf("kill %d: got %d complete records, want at least the %d of the kill before", killed, now, left)
				}
				left = now
			}
			if out, err := derefCommand(t)(args...).CombinedOutput(); err != nil {
				t.Fatalf("second run: got %v, want success: %s", err, out)
			}
			if got := l.captured(t, archives(archive)...); !maps.Equal(got, l.all()) {
				t.Errorf("got %d pages in %v, want %d", len(got), archives(archive), l.pages)
			}
			files := map[string]string{"list": dir, "mirror": filepath.Join(dir, "copy")}[c.way]
			if names, _ := filepath.Glob(filepath.Join(files, "[0-9]*")); len(names) != l.pages {
				more, _ := filepath.Glob(filepath.Join(files, "[0-9]*[^0-9]*"))
				t.Errorf("got %d files, want %d, and not %q", len(names), l.pages, more)
			}
			l.checkFiles(t, files)
			if left, _ := filepath.Glob(filepath.Join(dir, "*"+warc.Unfinished)); left != nil {
				t.Errorf("got unfinished files %v, want none", left)
			}
			t.Logf("%d kills", killed)
		})
	}
}

// archives returns the complete files of an archive.
func archives(name string) []string {
	base, ext, _ := strings.Cut(filepath.Base(name), ".warc")
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(name), base+"*.warc"+ext))
	return names
}

// readableRecords counts the complete records in the files of an archive, complete and unfinished, and reports every fault but an end within
// a record of an unfinished one.
func readableRecords(t *testing.T, archive string) (n int) {
	t.Helper()
	unfinished, _ := filepath.Glob(filepath.Join(filepath.Dir(archive), "*"+warc.Unfinished))
	for _, name := range append(archives(archive), unfinished...) {
		f, err := os.Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		_, err = warc.Check(f, func(fault warc.Fault) {
			if !strings.HasSuffix(name, warc.Unfinished) || !strings.Contains(fault.Text, "ends within a record") {
				t.Errorf("%s: got fault %v, want none", name, fault)
			}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Seek(0, io.SeekStart)
		r := warc.NewReader(f)
		for {
			rec, err := r.Next()
			if err != nil {
				break
			}
			if _, err := io.Copy(io.Discard, rec.Block); err == nil {
				n++
			}
		}
		f.Close()
	}
	return n
}
