//go:build unix || windows

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/warc"
	"example.org/deref/testdata"
)

// TestMain is derefd in the processes that the demonstration and the tests start. DEREFD_TEST_FROM is the address of their connections, and DEREFD_TEST_TO
// the server of all hosts.
func TestMain(m *testing.M) {
	if os.Getenv("DEREFD_TEST") != "" {
		c := &command{in: os.Stdin, out: os.Stdout, err: os.Stderr}
		if from := net.ParseIP(os.Getenv("DEREFD_TEST_FROM")); from != nil {
			c.dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).DialContext(ctx, network, cmp.Or(os.Getenv("DEREFD_TEST_TO"), addr))
			}
		}
		os.Exit(c.main(context.Background(), os.Args[1:], os.Getenv))
	}
	os.Setenv("DEREFD_TEST", "1") // for the processes that tests start
	fetchtest.Overlap()
	os.Exit(m.Run())
}

// derefd runs a command line, and returns what it prints.
func derefd(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	c := &command{in: os.Stdin, out: &out, err: &errs}
	if code := c.main(context.Background(), args, func(string) string { return "" }); code != want {
		t.Fatalf("derefd %v: got the exit code %d, want %d\n%s%s", args, code, want, out.Bytes(), errs.Bytes())
	}
	return out.String(), errs.String()
}

// fileIn writes a file that only the user can read, and returns its path.
func fileIn(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// jobOf writes the file of a job.
func jobOf(t *testing.T, text string) string { return fileIn(t, t.TempDir(), "job.toml", text) }

// servers starts local servers of the sample site.
func servers(t *testing.T, schemes ...string) []testservers.Running {
	t.Helper()
	list, err := testservers.Start(testdata.Site(), 0, schemes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { testservers.Stop(list) })
	return list
}

// A job is carried out, continued with more URIs, and has one result for each.
func TestRun(t *testing.T) {
	long(t, "TestArchive also carries out a job")
	web := servers(t, "http")[0].URL
	job := jobOf(t, fmt.Sprintf("task = \"check\"\npartitions = 4\nseeds = [\"%s/history/ftp.txt\", \"%s/missing\", \"%s/history/ftp.txt\"]\n", web, web, web))
	out, _ := derefd(t, 0, "run", job)
	if !strings.Contains(out, "job: finished; 2 URIs, 1 done, 1 failed") {
		t.Errorf("got %q, want 2 URIs, 1 done, 1 failed", out)
	}
	list := fileIn(t, filepath.Dir(job), "more.txt", web+"/history/gopher.txt\n"+web+"/missing\n")
	derefd(t, 0, "add", job, list)
	if out, _ := derefd(t, 0, "status", job, "--partitions"); !strings.Contains(out, "in work") {
		t.Errorf("got %q, want it in work", out)
	}
	out, _ = derefd(t, 0, "run", job)
	if !strings.Contains(out, "job: finished; 3 URIs, 2 done, 1 failed") {
		t.Errorf("got %q, want 3 URIs, 2 done, 1 failed", out)
	}
	out, _ = derefd(t, 0, "results", job)
	for _, want := range []string{`"uri":"` + web + `/history/ftp.txt"`, `"error":"notfound"`, `"verdict":"broken"`, `"verdict":"ok"`, `"worker":"run-`} {
		if !strings.Contains(out, want) {
			t.Errorf("got the results %s, want %s", out, want)
		}
	}
	if n := strings.Count(out, "\n"); n != 3 {
		t.Errorf("got %d results, want 3", n)
	}
}

// A directory is archived with what it contains, and the index has one line for each URI, also if the archives have more.
func TestArchive(t *testing.T) {
	long(t, "it carries out a job")
	ftp := servers(t, "ftp")[0].URL
	job := jobOf(t, fmt.Sprintf("task = \"archive\"\npartitions = 2\ndepth = 1\nexclude = [\"gopher.txt\"]\nseeds = [\"%s/history/\", \"%s/missing\"]\n", ftp, ftp))
	data := filepath.Join(filepath.Dir(job), "job.data")
	out, _ := derefd(t, 0, "run", job)
	if !strings.Contains(out, "finished") || !strings.Contains(out, " 1 failed") || !strings.Contains(out, "; 0 abandoned") {
		t.Errorf("got %q, want one failure, and no abandoned records", out)
	}
	names, err := filepath.Glob(filepath.Join(data, "warc", "*.warc.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("got the archives %v, %v, want one", names, err)
	}
	f, err := os.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tally, err := warc.Check(f, func(bad warc.Fault) { t.Error(bad) })
	if err != nil || tally.Records < 10 {
		t.Errorf("got %+v, %v, want at least 10 records", tally, err)
	}
	before := indexed(t, data)
	results, _ := derefd(t, 0, "results", job)
	if n := strings.Count(results, "\n"); len(before) != n || n < 3 || before[ftp+"/history/gopher.txt"] != 0 || before[ftp+"/history/ftp.txt"] != 1 {
		t.Errorf("got the index %v, want the URIs of the %d results:\n%s", before, n, results)
	}
	// The archive of a worker that was killed before it could record its results, and so had fetched the same documents.
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	fileIn(t, filepath.Join(data, "warc"), "killed-00000.warc.gz.open", string(text))
	out, _ = derefd(t, 0, "index", job)
	if want := fmt.Sprintf("%d lines of 2 archives; %d abandoned records", len(before), len(before)); !strings.Contains(out, want) {
		t.Errorf("got %q, want %q", out, want)
	}
	if after := indexed(t, data); !maps.Equal(before, after) {
		t.Errorf("got the index %v, want that without the archive, %v", after, before)
	}
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	if _, errs := derefd(t, 7, "index", job); !strings.Contains(errs, "are not in the archives") {
		t.Errorf("got %q without an archive, want an error", errs)
	}
}

// indexed returns how many lines of the job's index a URI has.
func indexed(t *testing.T, data string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "job.cdxj"))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var is struct{ URL, Filename string }
		if err := json.Unmarshal([]byte(line[strings.IndexByte(line, '{'):]), &is); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if list[is.URL]++; !strings.HasPrefix(is.Filename, "run") {
			t.Errorf("got %s in %s, want the archive of its result", is.URL, is.Filename)
		}
	}
	return list
}

// While a job runs, other processes see its status, add to it, and end it.
func TestOtherCommandsWhileItRuns(t *testing.T) {
	long(t, "TestArchive also carries out a job")
	began, answer := make(chan struct{}, 10), make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		began <- struct{}{}
		<-answer
	}))
	t.Cleanup(web.Close)
	job := jobOf(t, fmt.Sprintf("task = \"check\"\npartitions = 2\nseeds = [\"%s/1\"]\n", web.URL))
	list := fileIn(t, filepath.Dir(job), "more.txt", web.URL+"/2\n")
	var all sync.WaitGroup
	all.Go(func() {
		if out, _ := derefd(t, 0, "run", job); !strings.Contains(out, "in work; 2 URIs, 2 done") && !strings.Contains(out, "finished; 2 URIs, 2 done") {
			t.Errorf("got %q, want 2 URIs done", out)
		}
	})
	<-began
	if _, errs := derefd(t, 14, "run", job); !strings.Contains(errs, "in use by another process") {
		t.Errorf("got %q from the same job again, want that it is in use", errs)
	}
	derefd(t, 0, "add", job, list)
	<-began
	if out, _ := derefd(t, 0, "status", job); !strings.Contains(out, "in work; 2 URIs, 0 done") || !strings.Contains(out, "worker run has 2 of 2 partitions") {
		t.Errorf("got %q, want 2 URIs in work", out)
	}
	if out, _ := derefd(t, 0, "drain", job); !strings.Contains(out, "run-") {
		t.Errorf("got %q, want the worker", out)
	}
	close(answer)
	all.Wait()
	if out, _ := derefd(t, 0, "status", job, "--hosts", "5", "--partitions"); !strings.Contains(out, "per request,      2 URIs,      0 failed  127.0.0.1:") {
		t.Errorf("got %q, want the host", out)
	}
	if _, errs := derefd(t, 7, "drain", job); !strings.Contains(errs, "no such worker") {
		t.Errorf("got %q, want no such worker", errs)
	}
}

// long skips a test in short runs. Otherwise the test runs next to others.
func long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
	t.Parallel()
}

// The demonstration loses nothing.
func TestDemo(t *testing.T) {
	long(t, "it takes seconds")
	out, _ := derefd(t, 0, "demo")
	for _, want := range []string{" is killed: ", "nothing was lost"} {
		if !strings.Contains(out, want) {
			t.Errorf("got %q, want %q", out, want)
		}
	}
}
