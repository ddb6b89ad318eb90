//go:build unix || windows

package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/uri"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// addPages adds the pages from number from to number to by an Adder.
func addPages(t testing.TB, j *hub.Job, from, to int) {
	t.Helper()
	a := j.Adder()
	for n := from; n < to; n++ {
		if err := a.Add(scalePage(n), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := a.Flush(); err != nil || n != int64(to-from) {
		t.Fatalf("got %d URIs added, %v, want %d", n, err, to-from)
	}
}

// Many URIs take few messages. Each is done once, in the order of its host, also if they are added again after an interruption.
func TestAdder(t *testing.T) {
	waitless(t, func(t *testing.T, c *nats.Conn) {
		j := newJob(t, c, "pages", &hub.JobOptions{Partitions: 3})
		const n = 5000
		addPages(t, j, 0, n/2)
		addPages(t, j, n/4, n) // some again, in other pages
		seal(t, j)
		s, err := j.Status(t.Context())
		if err != nil || s.Added != n+n/4 {
			t.Fatalf("got %d records, %v, want %d", s.Added, err, n+n/4)
		}
		js, err := jetstream.New(c)
		if err != nil {
			t.Fatal(err)
		}
		stream, err := js.Stream(t.Context(), "DEREF_pages")
		if err != nil {
			t.Fatal(err)
		}
		if m := stream.CachedInfo().State.Msgs; m > n/50 {
			t.Errorf("got %d messages for %d records, want pages", m, s.Added)
		}
		var mu sync.Mutex
		last := map[string]int64{}
		if err := j.Work(t.Context(), func(_ context.Context, it *batch.Item, _ hub.AddFunc) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			if host := it.URI.Hostname(); it.Number < last[host] {
				t.Errorf("%s: got record %d after %d, want them in order", host, it.Number, last[host])
			} else {
				last[host] = it.Number
			}
			return 1, nil
		}, &hub.WorkOptions{Dir: t.TempDir(), Connections: 50, Batch: batch.Options{PerHost: 1}}); err != nil {
			t.Fatal(err)
		}
		checkOnce(t, j, n)
		if s, err = j.Status(t.Context()); err != nil || s.URIs() != n || s.Stored/n > 100 {
			t.Errorf("got %d URIs in %d bytes, %v, want %d in at most 100 each", s.URIs(), s.Stored, err, n)
		}
	})
}

// Long notes are in pages that the server accepts, and a longer one is an error.
func TestLongNotes(t *testing.T) {
	waitless(t, func(t *testing.T, c *nats.Conn) {
		j := newJob(t, c, "notes", &hub.JobOptions{Partitions: 1})
		a := j.Adder()
		note := func(n int) json.RawMessage { return json.RawMessage(fmt.Sprintf(`"%s"`, strings.Repeat("x", n))) }
		sizes := map[string]int{}
		for i, n := range []int{10, 60_000, 10_000, 1_000_000, 10, 70_000, 70_000, 3} {
			u := linkedPage(i)
			sizes[u.String()] = n + 2
			if err := a.Add(u, note(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Add(uri.MustParse("http://h.test/"), note(1<<20)); fetch.KindOf(err) != fetch.ErrLimit {
			t.Errorf("got %v, want %s", err, fetch.ErrLimit)
		}
		if n, err := a.Flush(); err != nil || n != int64(len(sizes)) {
			t.Fatalf("got %d added, %v, want %d", n, err, len(sizes))
		}
		seal(t, j)
		if err := j.Work(t.Context(), func(_ context.Context, it *batch.Item, _ hub.AddFunc) (int64, error) {
			if len(it.Note) != sizes[it.URI.String()] {
				t.Errorf("%s: got a note of %d bytes, want %d", it.URI, len(it.Note), sizes[it.URI.String()])
			}
			return 1, nil
		}, &hub.WorkOptions{Dir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		checkOnce(t, j, len(sizes))
	})
}

// URIs of a list that is still being written, for example to a pipe, do not wait for its end.
func TestAdderOfPipe(t *testing.T) {
	simulate(t, 0, func(h *history) {
		j := newJob(h.T, h.conn, "pipe", &hub.JobOptions{Partitions: 1})
		a := j.Adder()
		if err := a.Add(linkedPage(0), nil); err != nil {
			h.Fatal(err)
		}
		time.Sleep(6 * time.Second) // an Adder waits for five
		if s, err := j.Status(h.ended); err != nil || s.Added != 1 {
			h.Errorf("got %+v, %v, want a record", s, err)
		}
		if n, err := a.Flush(); err != nil || n != 1 {
			h.Errorf("got %d added, %v, want 1", n, err)
		}
	})
}

// add adds the pages from number from to number to.
func add(t testing.TB, j *hub.Job, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if _, err := j.Add(scalePage(i), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// workUntil works until n documents are done. Those for which hangs returns true are never done.
func workUntil(t testing.TB, j *hub.Job, n int64, hangs func(it *batch.Item) bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	task := func(ctx context.Context, it *batch.Item, _ hub.AddFunc) (int64, error) {
		if hangs != nil && hangs(it) {
			<-ctx.Done()
			return 0, ctx.Err()
		}
		return 1, nil
	}
	var done atomic.Int64
	o := &hub.WorkOptions{Connections: 100, Batch: batch.Options{PerHost: 100}, Done: func(*batch.Item, error) {
		if done.Add(1) == n {
			stop()
		}
	}}
	if err := j.Work(ctx, task, o); ctx.Err() == nil {
		t.Fatalf("got %v after %d documents, want %d", err, done.Load(), n)
	}
}

// The next owner of a partition does what the former one has left: documents between others that are done, and more than fit into its window.
func TestNextOwnerDoesTheRest(t *testing.T) {
	t.Parallel()
	j := newJob(t, connect(t), "rest", &hub.JobOptions{Partitions: 4})
	add(t, j, 0, 1000)
	workUntil(t, j, 900, func(it *batch.Item) bool { return it.Number%20 == 3 }) // about 50, half of the worker's connections
	had := len(results(t, j))
	add(t, j, 1000, 2000)
	var fetched atomic.Int64
	workUntil(t, j, int64(2000-had), func(*batch.Item) bool { fetched.Add(1); return false })
	checkOnce(t, j, 2000)
	if n := fetched.Load(); n != int64(2000-had) {
		t.Errorf("got %d documents after %d results, want the rest of 2000", n, had)
	}
}

// The time until a worker that has taken all 256 partitions over has done one document of each host, when 50,000 others are done.
func BenchmarkTakeover(b *testing.B) {
	j, err := hub.Create(b.Context(), connect(b), "takeover", nil)
	if err != nil {
		b.Fatal(err)
	}
	add(b, j, 0, 50_000)
	workUntil(b, j, 50_000, nil)
	for i := 50_000; b.Loop(); i += scaleHosts {
		add(b, j, i, i+scaleHosts)
		workUntil(b, j, scaleHosts, nil)
	}
}
