//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// A worker whose data is removed ends at its next commit, with one line that names the archive, and what it fetched since is left to others.
func TestArchiveIsGone(t *testing.T) {
	long(t, "it carries out a job")
	const uris, enough = 60, 40
	var mu sync.Mutex
	requests, gone := 0, make(chan struct{})
	name := ""
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests++
		n := requests
		if n == 1 {
			if err := os.RemoveAll(filepath.Join(strings.TrimSuffix(name, ".toml")+".data", "warc")); err != nil {
				t.Error(err)
			}
			close(gone)
		}
		mu.Unlock()
		if n > enough { // no worker gets more documents
			<-r.Context().Done()
			return
		}
		fmt.Fprintln(w, r.URL.Path)
	}))
	t.Cleanup(web.Close)
	s := hubtest.Serve(t, "127.0.0.1:0")
	conn, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	text := "task = \"archive\"\npartitions = 2\nseeds = ["
	for i := range uris {
		text += fmt.Sprintf("\"%s/%d\", ", web.URL, i)
	}
	name = jobOf(t, text+"]\n")
	derefd(t, 0, "add", name, os.DevNull, "--hub", s.URL(""))
	j, err := hub.Open(t.Context(), conn, "job")
	if err != nil {
		t.Fatal(err)
	}
	worker := exec.Command(os.Args[0], "work", name, "--hub", s.URL(""), "--log")
	worker.Env = append(os.Environ(), "DEREFD_TEST=1")
	var out strings.Builder
	worker.Stderr = &out
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- worker.Wait() }()
	<-gone
	loopback.Until(t, "end of the worker, or a result", func() bool {
		status, err := j.Status(t.Context())
		if err == nil && status.Records() > 0 {
			worker.Process.Kill()
		}
		return len(ended) > 0
	})
	<-ended
	if got := worker.ProcessState.ExitCode(); got != 14 || strings.Count(out.String(), "derefd: disk: ") != 1 || !strings.Contains(out.String(), ".warc.gz.open was removed or replaced") {
		t.Errorf("got exit status %d and %s, want 14 and the name of the archive", got, out.String())
	}
	mu.Lock()
	defer mu.Unlock()
	if status, err := j.Status(t.Context()); err != nil || status.Records() != 0 || requests > enough+8 {
		t.Errorf("got %d results, %v, after %d requests, want none after at most %d", status.Records(), err, requests, enough+8)
	}
}

// Two processes never write archives of the same name, so that results refer to the one of their own.
func TestArchiveNames(t *testing.T) {
	long(t, "it carries out a job twice")
	s := hubtest.Serve(t, "127.0.0.1:0")
	job := jobOf(t, "task = \"archive\"\npartitions = 2\n")
	list, warcs := filepath.Join(filepath.Dir(job), "list.txt"), filepath.Join(filepath.Dir(job), "job.data", "warc")
	for i := range 2 {
		if err := os.RemoveAll(warcs); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(list, []byte(fmt.Sprintf("%s/history/ftp.txt?%d\n", servers(t, "http")[0].URL, i)), 0o600); err != nil {
			t.Fatal(err)
		}
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
