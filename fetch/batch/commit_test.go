package batch_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
)

// An item whose Commit failed is done again by the next run; a committed one is not.
func TestCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	full := fetch.Errorf(fetch.ErrDisk, "no space")
	var mu sync.Mutex
	did := map[int64]int{}
	pass := func(commit func([]*batch.Item) error) (batch.Summary, error) {
		s, err := batch.OpenState(path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return batch.Run(t.Context(), list(5000, "a", "b"), func(_ context.Context, it *batch.Item) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			did[it.Number]++
			if it.Number == 7 {
				return 0, fetch.ErrNotFound
			}
			return 1, nil
		}, &batch.Options{State: s, Commit: commit})
	}
	var durable []int64
	sum, err := pass(func(items []*batch.Item) error {
		if len(durable) > 0 {
			return full
		}
		for _, it := range items {
			durable = append(durable, it.Number)
		}
		return nil
	})
	if !errors.Is(err, full) || len(durable) == 0 || sum.Done != int64(len(durable)) {
		t.Fatalf("got %v and %d done, want %v and the %d that were committed", err, sum.Done, full, len(durable))
	}
	first := did
	did = map[int64]int{}
	sum, err = pass(func(items []*batch.Item) error {
		for _, it := range items {
			if first[it.Number] > 0 && slices.Contains(durable, it.Number) {
				t.Errorf("item %d is done twice", it.Number)
			}
			durable = append(durable, it.Number)
		}
		return nil
	})
	if err != nil || sum.Skipped+sum.Done != 10_000-1 || sum.Failed != 1 || len(durable) != 10_000-1 {
		t.Errorf("second run: got %v, %d skipped, %d done, %d failed, %d durable; want one failure", err, sum.Skipped, sum.Done, sum.Failed,
			len(durable))
	}
}

// Finished items are committed when the caller's context ends, and within about a second while the list continues.
func TestCommitWithoutTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := batch.OpenState(filepath.Join(t.TempDir(), "state"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		committed := make(chan int, 10)
		sum, err := batch.Run(ctx, list(2, "a"), func(ctx context.Context, it *batch.Item) (int64, error) {
			if it.Number == 0 {
				return 0, nil
			}
			<-committed // the first item, while this one is running
			cancel()
			return 0, ctx.Err()
		}, &batch.Options{State: s, Parallel: 2, Commit: func(items []*batch.Item) error { committed <- len(items); return nil }})
		if !errors.Is(err, context.Canceled) || sum.Done != 1 {
			t.Errorf("got %v and %d done, want canceled and 1", err, sum.Done)
		}
	})
}
