package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// A row is an Order that records its calls.
type row struct {
	mu    sync.Mutex
	turns []int64
	full  bool
	waits func(*batch.Item) bool
	turn  func(int64) error
}

func (r *row) Waits(it *batch.Item) bool { return r.waits == nil || r.waits(it) }

func (r *row) Turn(n int64) error {
	r.mu.Lock()
	r.turns = append(r.turns, n)
	r.mu.Unlock()
	if r.turn != nil {
		return r.turn(n)
	}
	return nil
}

func (r *row) Full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

func (r *row) now() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turns[len(r.turns)-1]
}

// TestOrder: items finish in the order of the list, however long they take and whether they fail, are retried, are invalid or were already
// done, while several run at a time.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := func(yield func(*batch.Item, error) bool) {
			for i := range 300 {
				var bad error
				if i%17 == 5 {
					bad = fetch.Errorf(fetch.ErrRefusedURL, "no item")
				}
				if !yield(&batch.Item{URI: uri.MustParse(fmt.Sprintf("http://h%d/%d", i%3, i))}, bad) {
					return
				}
			}
		}
		var tried sync.Map
		r := &row{}
		var ended []int64
		sum, err := batch.Run(t.Context(), list, func(_ context.Context, it *batch.Item) (int64, error) {
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
			_, again := tried.LoadOrStore(it.Number, true)
			switch {
			case it.Number%11 == 3 && !again:
				return 0, fetch.Errorf(fetch.ErrTimeout, "passes")
			case it.Number%13 == 4:
				return 0, fetch.Errorf(fetch.ErrNotFound, "404")
			}
			return 1, nil
		}, &batch.Options{Order: r, Window: 20, Retry: retry.Policy{Retries: 1}, Patience: -1, Done: func(it *batch.Item, _ int64, _ error) {
			if now := r.now(); now != it.Number {
				t.Errorf("item %d finished in the turn of %d", it.Number, now)
			}
			ended = append(ended, it.Number)
		}})
		if err != nil || len(ended) != 300 || !slices.IsSorted(ended) || sum.Items() != 300 {
			t.Errorf("got %v, %+v, %d finished; want 300 in order", err, sum, ended)
		}
		if sum.Time > 80*time.Second {
			t.Errorf("got %v for 300 items of half a second, 8 at a time; want Time <= %v", sum.Time, 80*time.Second)
		}
	})
}

// TestOrderLetsOthersEnd: an item that does not wait finishes when it is done.
func TestOrderLetsOthersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []int64
		r := &row{waits: func(it *batch.Item) bool { return it.Number%2 == 0 }}
		run(t, list(6, "a"), func(_ context.Context, it *batch.Item) (int64, error) {
			time.Sleep(time.Duration(10-it.Number) * time.Second)
			return 1, nil
		}, &batch.Options{Order: r, Done: func(it *batch.Item, _ int64, _ error) { ended = append(ended, it.Number) }})
		if want := []int64{5, 3, 1, 0, 2, 4}; !slices.Equal(ended, want) {
			t.Errorf("they ended as %d, want %d", ended, want)
		}
	})
}

// TestFullOrder: while too many items wait for their turn to finish, only the first one in the order may start, even if it waits for a
// retry or was postponed.
func TestFullOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &row{}
		var begun []int64
		var mu sync.Mutex
		tries := map[int64]int{}
		task := func(_ context.Context, it *batch.Item) (int64, error) {
			mu.Lock()
			begun = append(begun, it.Number)
			tries[it.Number]++
			n := tries[it.Number]
			mu.Unlock()
			if it.Number == 0 {
				time.Sleep(time.Second / 2)
			} else {
				time.Sleep(time.Second)
			}
			switch {
			case it.Number == 0 && n == 1:
				r.mu.Lock()
				r.full = true // by the others
				r.mu.Unlock()
				return 0, &fetch.Error{Kind: fetch.ErrTimeout, Text: "passes"}
			case it.Number == 2 && r.now() != 2:
				it.Postponed = true
				return 0, errors.New("too long")
			}
			return 1, nil
		}
		sum := run(t, list(16, "a"), task, &batch.Options{Order: r, Parallel: 3, Retry: retry.Policy{Retries: 1}})
		if sum.Done != 16 || sum.Retries != 1 {
			t.Errorf("got %+v, want Done 16 and Retries 1", sum)
		}
		if tries[2] != 2 || tries[0] != 2 {
			t.Errorf("tries: %v, want 2 of the items 0 and 2", tries)
		}
		if rest := begun[3:]; !slices.IsSorted(rest) {
			t.Errorf("begun as %d, want those after the third in the order of their turns", begun)
		}
	})
}

// TestPostponedItemsHadResponses: a try that is postponed has had a response. So a server that had failed is back, and its pause begins.
func TestPostponedItemsHadResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		r := &row{}
		var tries []time.Duration // when those of the second item began
		began := time.Now()
		task := func(_ context.Context, it *batch.Item) (int64, error) {
			if it.Number == 0 {
				time.Sleep(90 * time.Second)
				return 1, nil
			}
			tries = append(tries, time.Since(began))
			switch {
			case len(tries) == 1:
				return 0, fetch.Errorf(fetch.ErrTimeout, "down")
			case r.now() == 0:
				it.Postponed = true
			}
			return 1, nil
		}
		sum, err := batch.Run(ctx, list(1, "a", "b"), task, &batch.Options{Order: r, Patience: 1, Pause: time.Minute, Retry: retry.Policy{Retries: 1}})
		if err != nil || sum.Done != 2 || len(tries) != 3 || tries[2]-tries[1] != time.Minute {
			t.Errorf("got %+v, %v and tries at %v, want both items done, and a minute before the last of three tries", sum, err, tries)
		}
	})
}

// TestOrderFailsInItsTurn: an error of writing to the stream is the item's error.
func TestOrderFailsInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &row{turn: func(n int64) error {
			if n == 3 {
				return fetch.Errorf(fetch.ErrDisk, "full")
			}
			return nil
		}}
		var failed []int64
		sum := run(t, list(5, "a"), newDiary().task(time.Second, nil), &batch.Options{Order: r, Done: func(it *batch.Item, _ int64, err error) {
			if err != nil {
				failed = append(failed, it.Number)
			}
		}})
		if !slices.Equal(failed, []int64{3}) || sum.Done != 4 || sum.Kinds[fetch.ErrDisk] != 1 {
			t.Errorf("failed: got %d, %+v; want failed %v, Done 4 and failures of kind ErrDisk 1", failed, sum, []int64{3})
		}
	})
}

// TestOrderIsInterrupted: an item that is done before its turn is not finished, so the next run does it again.
func TestOrderIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		ended := 0
		sum, err := batch.Run(ctx, list(50, "a"), func(ctx context.Context, it *batch.Item) (int64, error) {
			if it.Number == 2 {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return 1, nil
		}, &batch.Options{Order: &row{}, Done: func(*batch.Item, int64, error) { ended++ }})
		if !errors.Is(err, context.Canceled) || sum.Done != 2 || sum.Failed != 0 || ended != 2 {
			t.Errorf("got %v, %+v, %d finished; want Canceled, Done 2, Failed 0 and ended 2", err, sum, ended)
		}
	})
}
