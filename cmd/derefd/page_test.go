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
		{"GET", "/health", ":8222", 200, "ok"},
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

// The time that is left is that of the present rate, which a job that was interrupted for a day does not change.
func TestPace(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		added, done, failed int64
		took                time.Duration
		now                 float64
		want                string
	}{
		{100, 0, 0, time.Minute, 5, ""},
		{100, 40, 20, time.Minute, -1, "1.0 URIs/s on average\n"},
		{100, 40, 20, time.Minute, 4, "4.0 URIs/s now, 1.0 on average; 10s left for the URIs that are known\n"},
		{100, 40, 20, time.Minute, 0, "0.0 URIs/s now, 1.0 on average; 40s left for the URIs that are known\n"},
		{10000, 864, 0, 24 * time.Hour, 2, "2.0 URIs/s now, 0.0 on average; 1h16m8s left for the URIs that are known\n"},
		{60, 40, 20, time.Minute, 3, "1.0 URIs/s on average\n"},
	} {
		s := &hub.Status{Added: c.added, Created: began, Latest: began.Add(c.took)}
		s.Done, s.Failed = c.done, c.failed
		if got := pace(s, c.now); got != c.want {
			t.Errorf("%d of %d after %v, %v a second: got %q, want %q", c.done+c.failed, c.added, c.took, c.now, got, c.want)
		}
	}
}

// The hub of derefd run may end between the two samples of the status. Then the first one is printed, without the present rate.
func TestLater(t *testing.T) {
	t.Parallel()
	server, err := hub.Serve(&hub.ServerOptions{Dir: t.TempDir(), SyncInterval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	j, err := hub.Create(t.Context(), conn, "ended", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	server.Close()
	first := &hub.Status{Added: 1}
	if s, now, err := later(t.Context(), j, first, 0); s != first || now >= 0 || err != nil {
		t.Errorf("got %+v, %v, %v, want the first sample without a rate", s, now, err)
	}
}
