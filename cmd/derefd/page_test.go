//go:build unix || windows

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/uri"
)

// finishedJob returns a job with three results, one of which is a failure.
func finishedJob(t *testing.T) *hub.Job {
	t.Helper()
	s := hubtest.Serve(t, "")
	conn, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	j, err := hub.Create(t.Context(), conn, "seen", &hub.JobOptions{Partitions: 2, Lease: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{"http://a.test/", "http://b.test/", "http://c.test/"} {
		if _, err := j.Add(uri.MustParse(u), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Work(t.Context(), func(_ context.Context, it *batch.Item, _ hub.AddFunc) (int64, error) {
		if it.URI.Hostname() == "c.test" {
			return 0, fetch.Errorf(fetch.ErrNotFound, "no such page")
		}
		return 7, nil
	}, nil); err != nil {
		t.Fatal(err)
	}
	return j
}

// The page and the metrics show the status, to readers that requested this host, and nothing else.
func TestPage(t *testing.T) {
	long(t, "it carries out a job")
	j := finishedJob(t)
	failed := &counts{}
	failed.note("late write rejected")
	failed.note("results lost", "number", int64(3))
	web := httptest.NewServer(&page{job: j, host: "status.example", counts: failed})
	t.Cleanup(web.Close)
	for _, c := range []struct {
		method, path, host string
		status             int
		want               string
	}{
		{"GET", "/", "", 200, "3 of 3 URIs have a result: 2 done, 1 failed, 14 bytes"},
		{"GET", "/metrics", "localhost:80", 200, "derefd_uris_done_total{job=\"seen\"} 2\n"},
		{"GET", "/metrics", "STATUS.example", 200, "derefd_finished{job=\"seen\"} 1\n"},
		{"GET", "/metrics", "", 200, "derefd_failures_total{job=\"seen\",kind=\"notfound\"} 1\n"},
		{"GET", "/metrics", "", 200, "derefd_late_writes_total{job=\"seen\"} 1\n"},
		{"GET", "/metrics", "", 200, "derefd_repeated_fetches_total{job=\"seen\"} 3\n"},
		{"GET", "/health", "", 200, "ok"},
		{"HEAD", "/", "[::1]:80", 200, ""},
		{"GET", "/", "evil.example", 421, "not the requested host"},
		{"POST", "/", "", 405, "read-only"},
		{"GET", "/other", "", 404, "not found"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, web.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		resp, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(text), c.want) {
			t.Errorf("%s %s of %q: got %d, %v and %q, want %d and %q", c.method, c.path, c.host, resp.StatusCode, err, text, c.status, c.want)
		}
	}
}
