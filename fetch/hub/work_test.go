//go:build unix || windows

package hub_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/uri"
)

func linkedPage(i int) uri.URI { return uri.MustParse(fmt.Sprintf("http://h%d.test/%d", i%20, i)) }

// results returns the number of results of each URI.
func results(t *testing.T, j *hub.Job) map[string]int {
	t.Helper()
	list := map[string]int{}
	if err := j.Results(t.Context(), func(r *hub.Result) error { list[r.URI]++; return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// checkOnce checks that each of n URIs has exactly one result.
func checkOnce(t *testing.T, j *hub.Job, n int) {
	t.Helper()
	list := results(t, j)
	for u, times := range list {
		if times != 1 {
			t.Errorf("%s: got %d results, want 1", u, times)
		}
	}
	if len(list) != n {
		t.Errorf("got results of %d URIs, want %d", len(list), n)
	}
}

// owned returns the number of partitions that a worker owns, or -1 while the hub cannot be reached.
func owned(t *testing.T, j *hub.Job, worker string) (n int) {
	t.Helper()
	s, err := j.Status(t.Context())
	if err != nil {
		return -1
	}
	for _, p := range s.Partitions {
		if strings.HasPrefix(p.Worker, worker+"-") {
			n++
		}
	}
	return n
}

// A worker that cannot store documents ends, instead of fetching them again and again.
func TestFailedCommit(t *testing.T) {
	waitless(t, func(t *testing.T, c *nats.Conn) {
		j := newJob(t, c, "stuck", &hub.JobOptions{Partitions: 2, Lease: time.Second})
		if _, err := j.Add(linkedPage(0), nil); err != nil {
			t.Fatal(err)
		}
		full := fetch.Errorf(fetch.ErrDisk, "no space")
		fetched := 0
		err := j.Work(t.Context(), func(context.Context, *batch.Item, hub.AddFunc) (int64, error) {
			fetched++
			return 1, nil
		}, &hub.WorkOptions{Dir: t.TempDir(), Commit: func() error { return full }})
		if err != full || fetched != 1 {
			t.Errorf("got %v after %d requests, want %v after 1", err, fetched, full)
		}
		if s, err := j.Status(t.Context()); err != nil || s.Records() != 0 || len(s.Workers()) != 0 {
			t.Errorf("got %+v, %v, want no result and no worker", s, err)
		}
	})
}

// A worker whose connection is closed ends, and has no partitions any more once its lease has ended, even if there is no other worker.
func TestDeadWorker(t *testing.T) {
	t.Parallel()
	server := hubtest.Serve(t, "127.0.0.1:0")
	o := &hub.JobOptions{Partitions: 2}
	conn, other := dial(t, server.URL("")), dial(t, server.URL(""))
	dead, j := newJob(t, conn, "dead", o), newJob(t, other, "dead", o)
	ended := make(chan error)
	go func() {
		ended <- dead.Work(t.Context(), nil, &hub.WorkOptions{Name: "a", Dir: t.TempDir()})
	}()
	loopback.Until(t, "partitions of a worker", func() bool { return owned(t, j, "a") == 2 })
	conn.Close() // as if it was killed: it releases nothing
	if err := <-ended; fetch.KindOf(err) != fetch.ErrConnect {
		t.Errorf("got %v, want %s", err, fetch.ErrConnect)
	}
	js, err := jetstream.New(other)
	if err == nil { // what remains of the lease is made short
		_, err = js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "DEREF_dead_workers", TTL: 200 * time.Millisecond})
	}
	if err != nil {
		t.Fatal(err)
	}
	var s *hub.Status
	loopback.Until(t, "end of its lease", func() bool {
		s, err = j.Status(t.Context())
		return err == nil && s.Workers()["a"] == 0
	})
	for i, p := range s.Partitions {
		if p.Alive || !strings.HasPrefix(p.Worker, "a-") {
			t.Errorf("partition %d: got %+v, want the name of the dead worker", i, p)
		}
	}
}
