//go:build unix || windows

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/fetch/warc"
)

// A moodySite has a page for each path. Those that are down are missing.
type moodySite struct {
	mu     sync.Mutex
	down   map[string]bool
	served map[string]int
}

func (s *moodySite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodHead { // of a check, which requests what is missing again by GET
		s.served[r.URL.Path]++
	}
	if s.down[r.URL.Path] {
		http.NotFound(w, r)
		return
	}
	fmt.Fprintln(w, "the same page for all paths")
}

func newMoodySite(t *testing.T, down ...string) (s *moodySite, url string) {
	s = &moodySite{down: map[string]bool{}, served: map[string]int{}}
	for _, path := range down {
		s.down[path] = true
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web.URL
}

// Failures and single URIs are done again. Each URI has one result, and the history has all.
func TestRedo(t *testing.T) {
	long(t, "it carries out a job four times")
	site, web := newMoodySite(t, "/b", "/c")
	job := jobOf(t, fmt.Sprintf("task = \"check\"\npartitions = 2\nseeds = [\"%s/a\", \"%s/b\", \"%s/c\"]\n", web, web, web))
	prints := func(want string, args ...string) string {
		t.Helper()
		out, _ := derefd(t, 0, args...)
		if !strings.Contains(out, want) {
			t.Errorf("%v: got %q, want %q", args, out, want)
		}
		return out
	}
	lines := func(want int, args ...string) {
		t.Helper()
		if out, _ := derefd(t, 0, append([]string{"results", job}, args...)...); strings.Count(out, "\n") != want {
			t.Errorf("results %v: got %q, want %d", args, out, want)
		}
	}
	prints("3 URIs, 1 done, 2 failed", "run", job)
	lines(2, "--failed")
	lines(2, "--kind", "timeout,notfound")
	lines(0, "--kind", "timeout")
	lines(3, "--since", "1h")
	lines(0, "--since", time.Now().Add(time.Hour).UTC().Format(time.RFC3339))

	site.down["/b"] = false
	prints("again: 0", "redo", job, "--kind", "timeout")
	prints("again: 2", "redo", job, "--kind", "notfound")
	prints("again: 2", "redo", job, "--failed") // as after an interruption
	if out := prints("in work; 3 URIs, 1 done, 2 failed", "status", job); !strings.Contains(out, "to be done again") {
		t.Errorf("got %q, want how many are to be done again", out)
	}
	prints("finished; 3 URIs, 2 done, 1 failed", "run", job)
	lines(3)
	lines(1, "--failed")
	lines(5, "--history")
	if site.served["/a"] != 1 || site.served["/b"] != 2 || site.served["/c"] != 2 {
		t.Errorf("got the requests %v, want one of /a, and two of /b and /c", site.served)
	}

	site.down["/a"] = true
	if _, errs := derefd(t, 7, "redo", job, web+"/a", web+"/none"); !strings.Contains(errs, "no result of "+web+"/none") {
		t.Errorf("got %q, want that there is no result of /none", errs)
	}
	prints("finished; 3 URIs, 1 done, 2 failed", "run", job)
	site.down["/a"], site.down["/c"] = false, false
	prints("again: 2", "redo", job, "--failed", "--since", "1h")
	prints("finished; 3 URIs, 3 done, 0 failed", "run", job)
	lines(3)
	lines(8, "--history")
}

// Documents that are missing from the archives are fetched again, whole, even if a lost record has the same, and into archives of other names, so that
// results refer to those of their own process.
func TestRedoMissing(t *testing.T) {
	long(t, "it carries out a job twice")
	_, web := newMoodySite(t)
	job := jobOf(t, fmt.Sprintf("task = \"archive\"\npartitions = 2\nper-host = 1\nseeds = [\"%s/a\", \"%s/b\"]\n", web, web))
	derefd(t, 0, "run", job)
	warcs := filepath.Join(filepath.Dir(job), "job.data", "warc")
	lost, err := filepath.Glob(filepath.Join(warcs, "*.warc.gz"))
	if err := errors.Join(err, os.RemoveAll(warcs)); err != nil {
		t.Fatal(err)
	}
	out, errs := derefd(t, 7, "index", job)
	for _, u := range []string{web + "/a", web + "/b"} {
		if !strings.Contains(out, "missing: "+u+", in run-") {
			t.Errorf("got %q, want %s", out, u)
		}
	}
	if !strings.Contains(errs, "2 documents are not in the archives in "+warcs) || !strings.Contains(errs, "derefd redo JOB --missing") {
		t.Errorf("got %q, want how to fetch 2 documents again", errs)
	}
	if out, _ := derefd(t, 0, "redo", job, "--missing"); !strings.Contains(out, "again: 2") {
		t.Errorf("got %q, want 2 URIs", out)
	}
	if out, _ := derefd(t, 0, "run", job); !strings.Contains(out, "2 lines of 1 archives; 0 abandoned") {
		t.Errorf("got %q, want an index with 2 lines", out)
	}
	names, err := filepath.Glob(filepath.Join(warcs, "*.warc.gz"))
	if err != nil || len(names) != 1 || len(lost) != 1 || names[0] == lost[0] {
		t.Fatalf("got the archives %v after %v, %v, want one of another name", names, lost, err)
	}
	for _, u := range []string{web + "/a", web + "/b"} {
		if got := recordOf(t, names[0], u); got != warc.Response+" " {
			t.Errorf("%s: got %q, want a record with the document", u, got)
		}
	}
	if out, _ := derefd(t, 0, "redo", job, "--missing"); !strings.Contains(out, "again: 0") {
		t.Errorf("got %q, want that nothing is missing", out)
	}
}

// The jobs of a hub are listed and deleted, but not while a worker is at work.
func TestJobs(t *testing.T) {
	t.Parallel()
	s := hubtest.Serve(t, "127.0.0.1:0")
	job := jobOf(t, "task = \"check\"\npartitions = 2\n")
	list := fileIn(t, filepath.Dir(job), "list.txt", "http://h.test/1\nhttp://h.test/2\n")
	derefd(t, 0, "add", job, list, "--hub", s.URL(""))
	if out, _ := derefd(t, 0, "jobs", "--hub", s.URL("")); !strings.HasPrefix(out, "job: in work; 2 URIs, 0 done, 0 failed") || strings.Count(out, "\n") != 1 {
		t.Errorf("got %q, want the job", out)
	}
	conn, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	j, err := hub.Open(t.Context(), conn, "job")
	if err != nil {
		t.Fatal(err)
	}
	began, answer := make(chan struct{}, 2), make(chan struct{})
	var worker sync.WaitGroup
	worker.Go(func() {
		if err := j.Work(t.Context(), func(context.Context, *batch.Item, hub.AddFunc) (int64, error) {
			began <- struct{}{}
			<-answer
			return 1, nil
		}, &hub.WorkOptions{Name: "a", Dir: t.TempDir()}); err != nil {
			t.Error(err)
		}
	})
	<-began
	if _, errs := derefd(t, 14, "delete", job, "--hub", s.URL("")); !strings.Contains(errs, "the worker a is at work on the job job") || !strings.Contains(errs, "derefd drain") {
		t.Errorf("got %q, want that a worker is at work", errs)
	}
	close(answer)
	worker.Wait()
	if out, _ := derefd(t, 0, "delete", "job", "--hub", s.URL("")); !strings.Contains(out, "job: deleted") {
		t.Errorf("got %q, want that it is deleted", out)
	}
	if out, _ := derefd(t, 0, "jobs", "--hub", s.URL("")); out != "" {
		t.Errorf("got %q, want no job", out)
	}
	derefd(t, 7, "delete", job, "--hub", s.URL(""))
	derefd(t, 0, "add", job, list, "--hub", s.URL("")) // it can be created again
}
