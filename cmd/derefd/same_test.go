//go:build unix || windows

package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A worker refers to a document that another one has stored from another server, and readers of both archives find it.
func TestSameDocument(t *testing.T) {
	long(t, "it carries out a job twice")
	s := hubtest.Serve(t, "127.0.0.1:0")
	job := jobOf(t, "task = \"archive\"\npartitions = 2\n")
	data := filepath.Join(filepath.Dir(job), "job.data")
	var uris, archives []string
	for _, worker := range []string{"a", "b"} {
		u := servers(t, "http")[0].URL + "/history/ftp.txt"
		list := fileIn(t, filepath.Dir(job), "list.txt", u+"\n")
		derefd(t, 0, "add", job, list, "--hub", s.URL(""))
		derefd(t, 0, "work", job, "--hub", s.URL(""), "--name", worker)
		names, err := filepath.Glob(filepath.Join(data, "warc", worker+"-*-00000.warc.gz"))
		if err != nil || len(names) != 1 {
			t.Fatalf("got the archives %v of %s, %v, want one", names, worker, err)
		}
		uris, archives = append(uris, u), append(archives, names[0])
	}
	if got, want := recordOf(t, archives[0], uris[0]), warc.Response+" "; got != want {
		t.Errorf("got %q from the first worker, want %q", got, want)
	}
	if got, want := recordOf(t, archives[1], uris[1]), warc.Revisit+" "+uris[0]; got != want {
		t.Errorf("got %q from the second worker, want %q", got, want)
	}
	if out, _ := derefd(t, 0, "index", job, "--hub", s.URL("")); !strings.Contains(out, "2 lines of 2 archives; 0 abandoned") {
		t.Errorf("got %q, want the two records", out)
	}
	a, err := warc.OpenArchive(schemes.All(nil), archives...)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(a.Schemes()...)
	defer c.Close()
	want, err := fs.ReadFile(testdata.Site(), "history/ftp.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range uris {
		d, err := c.Get(t.Context(), uri.MustParse(u), nil)
		if err != nil {
			t.Errorf("%s: got %v, want the document", u, err)
			continue
		}
		got, err := io.ReadAll(d.Body)
		d.Body.Close()
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: got %d bytes, %v, want the %d of the document", u, len(got), err, len(want))
		}
	}
}

// recordOf returns the type of the record of a URI, and the URI to which it refers.
func recordOf(t *testing.T, archive, target string) string {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := warc.NewReader(f)
	defer r.Close()
	for {
		rec, err := r.Next()
		if err != nil {
			t.Fatalf("%s: got %v, want a record of %s", archive, err, target)
		}
		if kind := rec.Type(); rec.Target() == target && (kind == warc.Response || kind == warc.Revisit) {
			return fmt.Sprint(kind, " ", rec.Fields.Get("WARC-Refers-To-Target-URI"))
		}
	}
}
