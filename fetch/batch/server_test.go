package batch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/retry"
)

// A rationed server serves a number of requests at a time, each for a tenth of a second, and refuses others at once.
type rationed struct {
	mu      sync.Mutex
	limit   func() int
	refusal error
	active  int
	most    int // since it was last set to 0
	refused int
	asked   int
}

func (r *rationed) task(_ context.Context, it *batch.Item) (int64, error) {
	time.Sleep(time.Millisecond) // the round trip
	r.mu.Lock()
	r.asked++
	if r.active >= r.limit() {
		r.refused++
		r.mu.Unlock()
		return 0, r.refusal
	}
	r.active++
	r.most = max(r.most, r.active)
	r.mu.Unlock()
	time.Sleep(100 * time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active--
	return 1, nil
}

func always(n int) func() int { return func() int { return n } }

func refusals() map[string]error {
	return map[string]error{
		"421":     &fetch.Error{Kind: fetch.ErrUnavailable, Text: "421 too many connections", Busy: true},
		"503":     &fetch.Error{Kind: fetch.ErrUnavailable, Text: "503", Status: 503},
		"refused": fetch.Errorf(fetch.ErrConnect, "connection refused"),
		"dropped": fetch.Errorf(fetch.ErrConnection, "EOF"),
	}
}

// TestRation: all documents of a server that serves one, two or five at a time are fetched without a retry and in little more than the
// shortest possible time.
func TestRation(t *testing.T) {
	for name, refusal := range refusals() {
		for _, limit := range []int{1, 2, 5} {
			t.Run(fmt.Sprint(name, " ", limit), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := &rationed{limit: always(limit), refusal: refusal}
					sum := run(t, list(100, "a"), r.task, nil)
					ideal := 101 * time.Millisecond * time.Duration(100/limit)
					if sum.Done != 100 || sum.Retries != 0 || r.refused > 20 || sum.Time > ideal+ideal/10 {
						t.Errorf("%+v, %d refused, want at most 20 and %v", sum, r.refused, ideal)
					}
				})
			})
		}
	}
}

// TestRefusalsAtOnce: many refusals arrive together, and the server then gets as many requests as it serves, none of which it refuses.
func TestRefusalsAtOnce(t *testing.T) {
	const limit, parallel = 100, 200
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			r := &rationed{limit: always(limit), refusal: refusals()["421"]}
			sum := run(t, list(2*limit, "a"), r.task, &batch.Options{Parallel: parallel})
			if sum.Done != 2*limit || r.refused != parallel-limit {
				t.Errorf("%+v, %d refused, want %d", sum, r.refused, parallel-limit)
			}
		})
	}
}

// TestRationRises: when the server accepts more again, it gets more requests at a time, and no other server gets fewer.
func TestRationRises(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := &rationed{refusal: refusals()["503"], limit: func() int {
			if time.Since(began) < 5*time.Second {
				return 1
			}
			return 100
		}}
		other := newDiary()
		sum := run(t, list(500, "a", "b"), func(ctx context.Context, it *batch.Item) (int64, error) {
			if it.URI.Hostname() == "b" {
				return other.task(100*time.Millisecond, nil)(ctx, it)
			}
			return r.task(ctx, it)
		}, &batch.Options{Parallel: 16, PerHost: 8})
		if sum.Done != 1000 || r.most != 8 || other.most["b"] != 8 {
			t.Errorf("%+v, at most %d and %d at a time, want 8", sum, r.most, other.most["b"])
		}
		if last := other.at[len(other.at)-1]; last > 7*time.Second {
			t.Errorf("the other server got requests for %v, want last <= %v", last, 7*time.Second)
		}
	})
}

// TestPaceLasts: a server that refuses requests that come too soon after another gets them as slowly as it accepts them, and few that it refuses.
func TestPaceLasts(t *testing.T) {
	for _, refusal := range []string{"421", "503"} {
		for _, perHost := range []int{1, 8} {
			t.Run(fmt.Sprint(refusal, " ", perHost), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					const gap = 400 * time.Millisecond
					var mu sync.Mutex
					var last time.Time
					refused := 0
					sum := run(t, list(100, "a"), func(context.Context, *batch.Item) (int64, error) {
						mu.Lock()
						defer mu.Unlock()
						since := time.Since(last)
						if last = time.Now(); since < gap {
							refused++
							return 0, refusals()[refusal]
						}
						return 1, nil
					}, &batch.Options{PerHost: perHost})
					if sum.Done != 100 || refused > 40 || sum.Time > 3*100*gap {
						t.Errorf("got %+v with %d refusals, want Done 100 with at most 40, within %v", sum, refused, 3*100*gap)
					}
				})
			})
		}
	}
}

// TestServerRefusesForEver: its items fail after a minute, with the server's message and few requests.
func TestServerRefusesForEver(t *testing.T) {
	for _, name := range []string{"421", "503"} {
		for _, retries := range []int{0, 2} {
			t.Run(fmt.Sprint(name, " ", retries), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := &rationed{limit: always(0), refusal: refusals()[name]}
					explained := 0
					sum := run(t, list(100, "a"), r.task, &batch.Options{Retry: retry.Policy{Retries: retries},
						Done: func(_ *batch.Item, _ int64, err error) {
							if strings.Contains(fmt.Sprint(err), "refused every request for a minute: "+r.refusal.Error()) {
								explained++
							}
						}})
					most := 80 * time.Second
					if retries > 0 {
						most = 6 * time.Minute
					}
					if sum.Failed != 100 || sum.Kinds[fetch.ErrUnavailable] != 100 || sum.Time < time.Minute || sum.Time > most || r.asked > 60 ||
						explained < 90 {
						t.Errorf("got %+v, %d requests, want at most 60 and %v; %d errors with the reason", sum, r.asked, most, explained)
					}
				})
			})
		}
	}
}

// TestBrokenDocumentsAreNotARation: documents with a constant 503 fail, and the others are fetched.
func TestBrokenDocumentsAreNotARation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rationed{limit: always(100)}
		asked := map[int64]int{}
		sum := run(t, list(200, "a"), func(ctx context.Context, it *batch.Item) (int64, error) {
			n, err := r.task(ctx, it)
			r.mu.Lock()
			defer r.mu.Unlock()
			if asked[it.Number]++; it.Number%10 == 7 {
				return 0, refusals()["503"]
			}
			return n, err
		}, nil)
		if sum.Done != 180 || sum.Failed != 20 || sum.Time > 20*time.Second {
			t.Errorf("%+v, want 180 done and 20 failed within 20 s", sum)
		}
		for n, times := range asked {
			if times > 8 {
				t.Errorf("item %d was requested %d times", n, times)
			}
		}
	})
}

// TestDroppedDocumentsAreNotARation: documents for which the server always closes the connection fail, and no others, whatever the order in which the
// responses arrive. The first and the last documents are good ones, since without them nothing shows that the server serves others.
func TestDroppedDocumentsAreNotARation(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 30
	}
	for name, refusal := range refusals() {
		if name == "421" || name == "refused" { // they are about any request
			continue
		}
		for seed := range seeds {
			synctest.Test(t, func(t *testing.T) {
				const n = 100
				random := rand.New(rand.NewPCG(seed, 0))
				bad, times := map[int64]bool{}, map[int64]time.Duration{}
				for i := range int64(n) {
					bad[i], times[i] = i >= 4 && i < n-30 && random.IntN(3) == 0, time.Duration(random.IntN(50))*time.Millisecond
				}
				run(t, list(n, "a"), func(_ context.Context, it *batch.Item) (int64, error) {
					time.Sleep(times[it.Number])
					if bad[it.Number] {
						return 0, refusal
					}
					return 1, nil
				}, &batch.Options{Parallel: 8, PerHost: 4, Done: func(it *batch.Item, _ int64, err error) {
					if (err != nil) != bad[it.Number] {
						t.Errorf("%s, seed %d: item %d: got %v, want a failure: %t", name, seed, it.Number, err, bad[it.Number])
					}
				}})
			})
			if t.Failed() {
				return
			}
		}
	}
}

// TestBrokenDirectoryIsNoRation: documents that a server always refuses fail, and no others, even if there are many of them in a row.
func TestBrokenDirectoryIsNoRation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		isBad := func(it *batch.Item) bool { return it.Number >= 10 && it.Number < 60 }
		sum := run(t, list(100, "a"), func(_ context.Context, it *batch.Item) (int64, error) {
			time.Sleep(10 * time.Millisecond)
			if isBad(it) {
				return 0, refusals()["503"]
			}
			return 1, nil
		}, &batch.Options{Done: func(it *batch.Item, _ int64, err error) {
			if (err != nil) != isBad(it) {
				t.Errorf("item %d: got %v, want a failure: %t", it.Number, err, isBad(it))
			}
		}})
		if sum.Time > time.Minute {
			t.Errorf("got %v, want at most a minute", sum.Time)
		}
	})
}

// TestALeftAloneServerCostsNoTry: items of a server that is down wait until it is back, however few retries they have.
func TestALeftAloneServerCostsNoTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, asked := time.Now(), 0
		var mu sync.Mutex
		sum := run(t, list(100, "a"), func(context.Context, *batch.Item) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			asked++
			if time.Since(began) < 2*time.Minute {
				return 0, fetch.Errorf(fetch.ErrConnect, "refused")
			}
			return 1, nil
		}, &batch.Options{Retry: retry.Policy{Retries: 1}})
		if sum.Done != 100 || sum.Failed != 0 || asked > 130 {
			t.Errorf("got %+v with %d requests, want Done 100, Failed 0 and asked <= 130", sum, asked)
		}
	})
}

// TestADeadServerEndsWithRetries checks that the items of a dead server fail after five minutes.
func TestADeadServerEndsWithRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sum := run(t, list(100, "a"), func(context.Context, *batch.Item) (int64, error) {
			return 0, fetch.Errorf(fetch.ErrConnect, "refused")
		}, &batch.Options{Retry: retry.Policy{Retries: 5}})
		if sum.Failed != 100 || sum.Time > 6*time.Minute {
			t.Errorf("%+v, want 100 failures within 6 minutes", sum)
		}
	})
}

// TestUnavailableDocuments: if a refusal concerns one document, nothing is requested twice, and the server gets as many requests as before.
func TestUnavailableDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		sum := run(t, list(40, "a"), d.task(time.Second, func(*batch.Item) error { return fetch.Errorf(fetch.ErrUnavailable, "450") }),
			&batch.Options{Patience: -1})
		if sum.Failed != 40 || len(d.asked) != 40 || sum.Time != 5*time.Second {
			t.Errorf("got %+v with %d requests, want Failed 40, len(asked) 40 and Time %v", sum, len(d.asked), 5*time.Second)
		}
	})
}
