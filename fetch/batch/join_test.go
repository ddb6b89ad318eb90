package batch_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
)

// joining returns a task whose requests join a connection, of which the first request of a host opens one, as those of package http do.
func joining(d *diary) batch.Task {
	var mu sync.Mutex
	opened := map[string]bool{}
	return func(ctx context.Context, it *batch.Item) (int64, error) {
		mu.Lock()
		first := !opened[it.URI.Hostname()]
		opened[it.URI.Hostname()] = true
		mu.Unlock()
		if s := fetch.SharerOf(ctx); s != nil && !first {
			s.Join()
		}
		return d.task(time.Second, nil)(ctx, it)
	}
}

func TestJoinedRequestsDoNotCount(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    batch.Options
		all  int
	}{
		{"by default", batch.Options{}, 178},
		{"not with Parallel", batch.Options{Parallel: 20}, 20},
		{"not with PerHost", batch.Options{PerHost: 3}, 6},
		{"not with a Pause", batch.Options{Pause: time.Second}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDiary()
				run(t, list(300, "a", "b"), joining(d), &tt.o)
				if d.most["all"] != tt.all {
					t.Errorf("got %v at a time, want %d", d.most, tt.all)
				}
			})
		})
	}
}

// A request that has joined, and needs a connection of its own, is made again as one that may open it.
func TestAJoinedRequestIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		var joined, again atomic.Int32
		sum := run(t, list(300, "a"), func(ctx context.Context, it *batch.Item) (int64, error) {
			s := fetch.SharerOf(ctx)
			if s == nil {
				again.Add(1)
			} else if it.Number > 0 {
				s.Join()
				joined.Add(1)
				time.Sleep(time.Second)
			}
			if s != nil && !s.MayOpen() {
				return 0, fetch.Errorf(fetch.ErrConnection, "the shared connection has ended")
			}
			took := time.Second
			if it.Number == 0 {
				took *= 2 // when it ends, nothing may join anymore
			}
			return d.task(took, nil)(ctx, it)
		}, nil)
		if sum.Done != 300 || d.most["a"] != 8 {
			t.Errorf("got %+v, %d at a time, want 300 done, 8 at a time", sum, d.most["a"])
		}
		if joined.Load() != 177 || again.Load() != 299 {
			t.Errorf("%d requests have joined, and %d not, want 177 and 299", joined.Load(), again.Load())
		}
	})
}
