//go:build unix || windows

package main

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A worker whose file has another task, limit or rule of politeness than the job requests nothing, and learns which key differs.
func TestSameRules(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(web.Close)
	url := hubtest.Serve(t, "127.0.0.1:0").URL("")
	rest := fmt.Sprintf("partitions = 2\nseeds = [\"%s/\"]\n", web.URL)
	job := jobOf(t, "task = \"archive\"\npause = 0.1\n"+rest)
	derefd(t, 0, "add", job, os.DevNull, "--hub", url)
	for _, c := range []struct{ key, was, is string }{
		{"task", "'archive'", "'check'"}, {"task", "'archive'", "'list'"}, {"task", "'archive'", "'crawl'"}, {"depth", "0", "2"}, {"pause", "0.1", "0.0"},
		{"include", "[]", "['a']"}, {"exclude", "[]", "['a']"}, {"hosts", "[]", "['a']"}, {"schemes", "[]", "['ftp']"}, {"ignore-robots", "false", "true"},
		{"host-documents", "0", "1"}, {"host-bytes", "0", "1"}, {"per-host", "0", "9"}, {"retries", "0", "1"}, {"timeout", "0.0", "1.0"}, {"max-size", "0", "1"},
		{"deny-private", "false", "true"}, {"tofu", "false", "true"},
	} {
		rules := map[string]string{"task": "'archive'", "pause": "0.1"}
		rules[c.key] = c.is
		text := rest
		for key, value := range rules {
			text = key + " = " + value + "\n" + text
		}
		for _, args := range [][]string{{"work"}, {"run"}, {"add", os.DevNull}} {
			args = append([]string{args[0], jobOf(t, text)}, append(args[1:], "--hub", url)...)
			_, errs := derefd(t, 14, args...)
			if want := fmt.Sprintf("job was created with %q, and the file has %q", c.key+" = "+c.was, c.key+" = "+c.is); !strings.Contains(errs, want) || !strings.Contains(errs, "hint: ") {
				t.Errorf("%s with %q: got %q, want %q and a hint", args[0], text, errs, want)
			}
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("got %d requests of workers with other rules, want none", n)
	}
	// What belongs to one machine may differ.
	derefd(t, 0, "work", jobOf(t, "task = \"archive\"\npause = 0.1\nconnections = 1\narchive-size = 1000\n"+rest), "--hub", url)
	if n := requests.Load(); n != 1 {
		t.Errorf("got %d requests, want one", n)
	}
}

// The seeds of a crawl decide what workers find. Those of other tasks may differ, since the log has them.
func TestSeedsAreRules(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]bool{"crawl": false, "archive": true} {
		a, b := jobRules{Task: task, Seeds: []string{"http://a/"}}, jobRules{Task: task, Seeds: []string{"http://b/"}}
		if same := a.String() == b.String(); same != want {
			t.Errorf("%s: got %t for the same rules, want %t", task, same, want)
		}
	}
}

// The help names every key that the job keeps.
func TestHelpOfRules(t *testing.T) {
	t.Parallel()
	help, _ := derefd(t, 0, "help")
	_, kept, _ := strings.Cut(help, "The job keeps the ")
	for _, key := range keysOf(reflect.TypeFor[jobRules](), "") {
		if !strings.Contains(kept, key) {
			t.Errorf("got %q after \"The job keeps the\", want it to contain %s", kept, key)
		}
	}
}

// The URIs of a host are in one partition, with and without the default port.
func TestDefaultPorts(t *testing.T) {
	t.Parallel()
	job := jobOf(t, "task = \"check\"\n")
	list := fileIn(t, filepath.Dir(job), "list.txt", "http://h.test/\nhttp://h.test:80/\nHTTP://H.test/1\nftp://h.test:80/\n")
	derefd(t, 0, "add", job, list)
	if out, _ := derefd(t, 0, "status", job, "--partitions"); strings.Count(out, "partition ") != 1 {
		t.Errorf("got %q, want one partition", out)
	}
}

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
