//go:build unix || windows

package hub_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/uri"
	"github.com/nats-io/nats.go"
)

// A host gets no more documents or bytes than its budget, also after its owner has changed. Failures and what Redo adds do not count, and links are not added
// any more.
func TestBudget(t *testing.T) {
	waitless(t, func(t *testing.T, c *nats.Conn) {
		for name, budget := range map[string]hub.Budget{"documents": {Documents: 4}, "bytes": {Bytes: 40}, "none": {}} {
			j := newJob(t, c, name, &hub.JobOptions{Partitions: 1, Lease: time.Second})
			for _, u := range []string{"http://a/missing", "http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://a/5", "http://b/1"} {
				if _, err := j.Add(uri.MustParse(u), nil); err != nil {
					t.Fatal(err)
				}
			}
			seal(t, j)
			var done atomic.Int64
			work := func(most int64) {
				drain := make(chan struct{})
				task := func(_ context.Context, it *batch.Item, add hub.AddFunc) (int64, error) {
					if done.Add(1) == most {
						close(drain)
					}
					if it.URI.Path() == "/missing" {
						return 0, fetch.Errorf(fetch.ErrNotFound, "no such page")
					}
					if it.URI.Path() == "/5" || it.Redo > 0 {
						add(uri.MustParse("http://a/late"), nil)
					}
					return 10, nil
				}
				if err := j.Work(t.Context(), task, &hub.WorkOptions{Dir: t.TempDir(), Connections: 1, Budget: budget, Drain: drain}); err != nil {
					t.Fatal(err)
				}
			}
			work(3)
			work(0)
			redone := 0
			if _, err := j.Redo(t.Context(), func(r *hub.Result) bool { return r.URI == "http://a/1" }); err != nil {
				t.Fatal(err)
			}
			work(0)
			got, want := map[string]fetch.Kind{}, map[string]fetch.Kind{"http://a/missing": fetch.ErrNotFound, "http://a/1": "", "http://a/2": "", "http://a/3": "", "http://a/4": "",
				"http://a/5": fetch.ErrLimit, "http://b/1": ""}
			if name == "none" {
				want["http://a/5"], want["http://a/late"] = "", ""
			}
			if err := j.Results(t.Context(), func(r *hub.Result) error {
				if got[r.URI] = r.Error; r.Redo > 0 {
					redone++
				}
				return nil
			}); err != nil || redone != 1 || !maps.Equal(got, want) {
				t.Errorf("%s: got %v, %d of Redo, %v, want %v and 1", name, got, redone, err, want)
			}
		}
	})
}

// All URIs of a host and port are in one partition, however they are written, also for a process that opens the job.
func TestOneHost(t *testing.T) {
	t.Parallel()
	c := connect(t)
	schemes := fetch.Registry{{Names: []string{"http"}, Rules: uri.Rules{DefaultPort: 80}}, {Names: []string{"gopher", "go4"}, Rules: uri.Rules{DefaultPort: 70}}}
	if _, err := hub.Create(t.Context(), c, "hosts", &hub.JobOptions{Partitions: 64, Schemes: schemes}); err != nil {
		t.Fatal(err)
	}
	j, err := hub.Open(t.Context(), c, "hosts")
	if err != nil {
		t.Fatal(err)
	}
	partition := func(text string) int {
		t.Helper()
		before, err := j.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if added, err := j.Add(uri.MustParse(text), nil); !added || err != nil {
			t.Fatalf("%s: got %t, %v, want it added", text, added, err)
		}
		after, err := j.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for p := range after.Partitions {
			if after.Partitions[p].Added > before.Partitions[p].Added {
				return p
			}
		}
		t.Fatalf("%s: got no partition", text)
		return 0
	}
	for _, same := range [][]string{
		{"http://h.test/", "http://h.test:80/", "http://h.test:/a", "HTTP://user@H.Test/", "http://h%2etest/1", "http://h.test./", "http://h.test:080/", "gopher://h.test:80/1"},
		{"gopher://h.test/", "gopher://h.test:70/1", "GO4://h.test/", "http://h.test:70/"},
		{"http://[::1]/", "http://[0:0:0:0:0:0:0:1]:80/"},
		{"http://127.0.0.1:8001/", "gopher://127.0.0.1:8001/", "http://[::ffff:127.0.0.1]:8001/"},
		{"http://b\u00fccher.test/", "http://xn--bcher-kva.test:80/"},
		{"other://h.test/", "other://h.test:0/", "other2://h.test/"},
	} {
		want := partition(same[0])
		for _, text := range same[1:] {
			if got := partition(text); got != want {
				t.Errorf("%s: got the partition %d, want %d, that of %s", text, got, want, same[0])
			}
		}
	}
	if a, b := partition("http://127.0.0.1:8002/"), partition("http://127.0.0.1:8003/"); a == b {
		t.Errorf("got the partition %d for two ports, want two", a)
	}
}

// connect starts a server and returns a connection to it.
func connect(t testing.TB) *nats.Conn {
	t.Helper()
	s := hubtest.Serve(t, "")
	c, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// dial returns a connection to a server, which is closed with the test.
func dial(t testing.TB, url string, o ...nats.Option) *nats.Conn {
	t.Helper()
	c, err := hub.Dial(url, append(o, nats.Timeout(time.Minute))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func newJob(t testing.TB, c *nats.Conn, name string, o *hub.JobOptions) *hub.Job {
	t.Helper()
	j, err := hub.Create(t.Context(), c, name, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// seal ends a job's list of URIs.
func seal(t testing.TB, j *hub.Job) {
	t.Helper()
	if err := j.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// addLast adds the last URI of a job, and seals it.
func addLast(t testing.TB, j *hub.Job, u uri.URI, note json.RawMessage) {
	t.Helper()
	if _, err := j.Add(u, note); err != nil {
		t.Fatal(err)
	}
	seal(t, j)
}

// long skips a test in short runs. Otherwise the test runs next to others.
func long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
	t.Parallel()
}

// TestMain plays the processes of the tests, which execute this binary again.
func TestMain(m *testing.M) {
	if role := os.Getenv("DEREF_HUB_TEST"); role != "" {
		play(role)
		return
	}
	fetchtest.Overlap()
	os.Exit(m.Run())
}
