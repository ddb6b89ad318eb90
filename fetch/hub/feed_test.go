//go:build unix || windows

package hub_test

import (
	"context"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
)

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
