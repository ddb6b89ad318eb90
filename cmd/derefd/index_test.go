//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/fetch/warc"
)

// Two processes never write archives of the same name, so that results refer to the one of their own.
func TestArchiveNames(t *testing.T) {
	long(t, "it carries out a job twice")
	s := hubtest.Serve(t, "127.0.0.1:0")
	job := jobOf(t, "task = \"archive\"\npartitions = 2\n")
	warcs := filepath.Join(filepath.Dir(job), "job.data", "warc")
	for i := range 2 {
		if err := os.RemoveAll(warcs); err != nil {
			t.Fatal(err)
		}
		list := fileIn(t, filepath.Dir(job), "list.txt", fmt.Sprintf("%s/history/ftp.txt?%d\n", servers(t, "http")[0].URL, i))
		derefd(t, 0, "add", job, list, "--hub", s.URL(""))
		derefd(t, 0, "work", job, "--hub", s.URL(""), "--name", "a")
	}
	out, _ := derefd(t, 0, "results", job, "--hub", s.URL(""))
	names := map[string]bool{}
	for line := range strings.Lines(out) {
		_, rest, _ := strings.Cut(line, `"file":"`)
		file, _, _ := strings.Cut(rest, `"`)
		names[file] = true
	}
	if len(names) != 2 || names[""] {
		t.Errorf("got the archives %v of two processes, want two", names)
	}
}

// Requests for URIs that differ in their fragments have the same record, and run at the same time.
func TestPlacesOfFragments(t *testing.T) {
	p := places{of: map[string]*place{}}
	p.await("http://h/a")
	p.await("http://h/a")
	p.stored(warc.StoredRecord{Target: "http://h/a", File: "a.warc.gz", Offset: 7})
	for range 2 {
		if got := p.take("http://h/a"); got.file != "a.warc.gz" || got.at != 7 {
			t.Errorf("got %+v, want the record in a.warc.gz at 7", got)
		}
	}
	p.await("http://h/a")
	if got := p.take("http://h/a"); got.file != "" || len(p.of) > 0 {
		t.Errorf("got %+v of a later request and %v, want nothing", got, p.of)
	}
}
