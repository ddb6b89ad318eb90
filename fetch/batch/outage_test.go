package batch_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

func TestRetries(t *testing.T) {
	unavailable := fetch.Errorf(fetch.ErrUnavailable, "503")
	for _, test := range []struct {
		name         string
		err          error
		fails        int64 // how often
		retries      int
		tries        int64
		done, failed int64
		atLeast      time.Duration
		most         time.Duration
	}{
		{"none asked for", unavailable, 1, 0, 1, 0, 1, 0, 0},
		{"helps", unavailable, 2, 3, 3, 1, 0, 1500 * time.Millisecond, 5 * time.Second},
		{"does not help", unavailable, 9, 3, 4, 0, 1, 3 * time.Second, 12 * time.Second},
		{"not found stays so", fetch.Errorf(fetch.ErrNotFound, "404"), 9, 3, 1, 0, 1, 0, 0},
		{"refused stays so", fetch.Errorf(fetch.ErrRefused, "403"), 9, 3, 1, 0, 1, 0, 0},
		{"at the server's word", &fetch.Error{Kind: fetch.ErrUnavailable, Text: "429", After: time.Minute}, 1, 3, 2, 1, 0, time.Minute,
			time.Minute},
		{"not that long", &fetch.Error{Kind: fetch.ErrUnavailable, Text: "503", After: time.Hour}, 1, 3, 1, 0, 1, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tries atomic.Int64
				ended := 0
				task := func(context.Context, *batch.Item) (int64, error) {
					if tries.Add(1) <= test.fails {
						return 0, test.err
					}
					return 1, nil
				}
				began := time.Now()
				sum := run(t, list(1, "a"), task, &batch.Options{Retry: retry.Policy{Retries: test.retries}, Patience: -1,
					Done: func(*batch.Item, int64, error) { ended++ }})
				if tries.Load() != test.tries || sum.Done != test.done || sum.Failed != test.failed || sum.Retries != test.tries-1 || ended != 1 {
					t.Errorf("got %d tries, %d calls of Done, %+v; want %+v", tries.Load(), ended, sum, test)
				}
				if took := time.Since(began); took < test.atLeast || took > test.most {
					t.Errorf("took %v, want %v to %v", took, test.atLeast, test.most)
				}
			})
		})
	}
}

// TestWaitingForARetryHoldsUpNobody: eight failing documents and one worker.
func TestWaitingForARetryHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		dead := func(it *batch.Item) error {
			if it.URI.Hostname() == "dead" {
				return fetch.Errorf(fetch.ErrConnect, "refused")
			}
			return nil
		}
		var good time.Duration
		run(t, list(8, "dead", "good"), d.task(10*time.Millisecond, dead), &batch.Options{Parallel: 1, Retry: retry.Policy{Retries: 2},
			Patience: -1,
			Done: func(it *batch.Item, _ int64, err error) {
				if err == nil {
					good = time.Since(d.began)
				}
			}})
		if good > 200*time.Millisecond {
			t.Errorf("the others were done after %v, want at once", good)
		}
	})
}

// TestAHostThatSaysWhenIsLeftAlone: Retry-After applies to all documents of the host.
func TestAHostThatSaysWhenIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		first := true
		busy := func(*batch.Item) error {
			if first {
				first = false
				return &fetch.Error{Kind: fetch.ErrUnavailable, Text: "429", After: 30 * time.Second}
			}
			return nil
		}
		sum := run(t, list(3, "a"), d.task(0, busy), &batch.Options{PerHost: 1, Retry: retry.Policy{Retries: 1}})
		if sum.Done != 3 || d.at[0] != 0 || d.at[1] < 30*time.Second {
			t.Errorf("got %+v at %v, want a pause", sum, d.at)
		}
	})
}

// TestADeadServerIsLeftAlone: after five failures in a row it gets no requests, until one probe succeeds.
func TestADeadServerIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		down := func(it *batch.Item) error {
			if it.URI.Hostname() == "down" && time.Since(d.began) < time.Minute {
				return fetch.Errorf(fetch.ErrConnect, "refused")
			}
			return nil
		}
		slowly := func(yield func(*batch.Item, error) bool) {
			for i := range 100 {
				for _, h := range []string{"down", "up"} {
					if !yield(&batch.Item{URI: uri.MustParse(fmt.Sprintf("http://%s:%d/%d", h, 8000, i))}, nil) {
						return
					}
				}
				time.Sleep(time.Second)
			}
		}
		kinds := map[fetch.Kind]int{}
		sum := run(t, slowly, d.task(0, down), &batch.Options{Done: func(_ *batch.Item, _ int64, err error) {
			if err != nil {
				kinds[fetch.KindOf(err)]++
			}
		}})
		asked := 0
		for i, u := range d.asked {
			if uri.MustParse(u).Hostname() == "down" && d.at[i] < time.Minute {
				asked++
			}
		}
		// 5 at once, a probe after 30 s that fails, one after 60 s more that succeeds
		if asked != 6 || kinds[fetch.ErrConnect] != int(sum.Failed) || sum.Failed < 85 || sum.Failed > 95 || sum.Done != 200-sum.Failed {
			t.Errorf("got %d requests while it was down, want 6; %v, %+v", asked, kinds, sum)
		}
	})
}

// TestAServerOutlivesNotFound: missing documents do not count as failures of the server.
func TestAServerOutlivesNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		sum := run(t, list(50, "a"), d.task(0, func(*batch.Item) error { return fetch.Errorf(fetch.ErrNotFound, "404") }), nil)
		if len(d.asked) != 50 || sum.Failed != 50 || sum.Kinds[fetch.ErrNotFound] != 50 {
			t.Errorf("got %d requests, %+v; want 50", len(d.asked), sum)
		}
	})
}
