package batch_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/uri"
	"go.uber.org/goleak"
)

// No test of this package leaks a goroutine. The test binary is also the process that TestStateOutlivesSIGKILL kills.
func TestMain(m *testing.M) {
	if path := os.Getenv("BATCH_TEST_STATE"); path != "" {
		victim(path)
		return
	}
	fetchtest.Overlap()
	goleak.VerifyTestMain(m)
}

// list yields n items of each host, host after host.
func list(n int, hosts ...string) iter.Seq2[*batch.Item, error] {
	var us []uri.URI
	for _, h := range hosts {
		for i := range n {
			us = append(us, uri.MustParse(fmt.Sprintf("http://%s/%d", h, i)))
		}
	}
	return batch.Items(us...)
}

// A diary records the time of each request.
type diary struct {
	mu     sync.Mutex
	began  time.Time
	asked  []string
	at     []time.Duration
	active map[string]int
	most   map[string]int
}

func newDiary() *diary {
	return &diary{began: time.Now(), active: map[string]int{}, most: map[string]int{}}
}

// task returns a Task that takes the given time for each item.
func (d *diary) task(took time.Duration, fail func(*batch.Item) error) batch.Task {
	return func(ctx context.Context, it *batch.Item) (int64, error) {
		host := it.URI.Hostname()
		d.mu.Lock()
		d.asked = append(d.asked, it.URI.String())
		d.at = append(d.at, time.Since(d.began))
		for _, h := range []string{host, "all"} {
			d.active[h]++
			d.most[h] = max(d.most[h], d.active[h])
		}
		d.mu.Unlock()
		time.Sleep(took)
		d.mu.Lock()
		d.active[host]--
		d.active["all"]--
		d.mu.Unlock()
		if fail != nil {
			if err := fail(it); err != nil {
				return 0, err
			}
		}
		return 10, nil
	}
}

func run(t *testing.T, l iter.Seq2[*batch.Item, error], task batch.Task, o *batch.Options) batch.Summary {
	t.Helper()
	sum, err := batch.Run(t.Context(), l, task, o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestRunDoesEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		sum := run(t, list(500, "a", "b", "c"), d.task(time.Second, nil), &batch.Options{Parallel: 5, Window: 20})
		if sum.Done != 1500 || sum.Failed != 0 || sum.Bytes != 15000 || sum.Time != 300*time.Second {
			t.Errorf("got %+v, want Done 1500, Failed 0, Bytes 15000 and Time %v", sum, 300*time.Second)
		}
		slices.Sort(d.asked)
		if n := len(slices.Compact(d.asked)); n != 1500 {
			t.Errorf("got %d different items, want 1500", n)
		}
		if d.most["all"] != 5 {
			t.Errorf("got %d at a time, want 8", d.most["all"])
		}
	})
}

// TestHostsTakeTurns: a list that starts with many items of one host does not delay the others, nor does a host that hangs.
func TestHostsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		run(t, list(100, "big", "small"), d.task(time.Second, nil), &batch.Options{Parallel: 2, Window: 400})
		big := 0
		for _, u := range d.asked[10:110] {
			if uri.MustParse(u).Hostname() == "big" {
				big++
			}
		}
		if big < 45 || big > 55 {
			t.Errorf("%d of 100 in the middle belong to the first host, want a fair share", big)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		slow := func(ctx context.Context, it *batch.Item) (int64, error) {
			if it.URI.Hostname() == "hangs" {
				return d.task(time.Hour, nil)(ctx, it)
			}
			return d.task(time.Second, nil)(ctx, it)
		}
		var last time.Duration
		run(t, list(10, "hangs", "b", "c"), slow, &batch.Options{Parallel: 4, PerHost: 2, Done: func(it *batch.Item, _ int64, _ error) {
			if it.URI.Hostname() != "hangs" {
				last = max(last, time.Since(d.began))
			}
		}})
		if last != 10*time.Second || d.most["hangs"] != 2 {
			t.Errorf("the others took %v while a host hangs, with %d requests to it at a time", last, d.most["hangs"])
		}
	})
}

func TestWithinAHostTheOrderIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		run(t, list(50, "a"), d.task(time.Second, nil), &batch.Options{Parallel: 8, PerHost: 1})
		for i, u := range d.asked {
			if want := fmt.Sprintf("http://a/%d", i); u != want {
				t.Fatalf("got %[2]s as number %[1]d, want the order of the list", i, u)
			}
		}
	})
}

// TestPauseIsKept: with a Pause a host, however its name is capitalized, gets one request at a time, and a pause after each response.
func TestPauseIsKept(t *testing.T) {
	for _, test := range []struct {
		perHost, atATime int
		took             time.Duration
	}{
		{0, 1, 5*3*time.Second + 4*2*time.Second},
		{2, 2, 0}, // two at a time, but none begins within the pause after a response
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDiary()
			sum := run(t, list(5, "a", "A", "b"), d.task(3*time.Second, nil), &batch.Options{Parallel: 8, Pause: 2 * time.Second,
				PerHost: test.perHost})
			if sum.Done != 15 || d.most["b"] != test.atATime {
				t.Errorf("got %+v, %d at a time; want Done 15 and most[\"b\"] %v", sum, d.most["b"], test.atATime)
			}
			var last time.Duration
			for i, u := range d.asked {
				if uri.MustParse(u).Hostname() == "b" {
					if gap := d.at[i] - last; test.perHost == 0 && last > 0 && gap < 5*time.Second {
						t.Errorf("the next request came after %v, want the pause", gap)
					}
					last = d.at[i]
				}
			}
			if all := 10*3*time.Second + 9*2*time.Second; test.took > 0 && sum.Time != all {
				t.Errorf("a and A took %v, want %v", sum.Time, all)
			}
			if last += 3 * time.Second; test.took > 0 && last != test.took {
				t.Errorf("b took %v, want %v", last, test.took)
			}
		})
	}
}

// TestWhatHasNoHostHasNoPause: data: and file: URIs have no host.
func TestWhatHasNoHostHasNoPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		us := batch.Items(slices.Repeat([]uri.URI{uri.MustParse("data:,x"), uri.MustParse("file:///x")}, 8)...)
		sum := run(t, us, d.task(time.Second, nil), &batch.Options{Parallel: 4, Pause: time.Minute})
		if sum.Time != 4*time.Second {
			t.Errorf("got %v, want Time %v", sum.Time, 4*time.Second)
		}
	})
}

// TestMemoryDoesNotDependOnTheList: no more than the Window is read ahead.
func TestMemoryDoesNotDependOnTheList(t *testing.T) {
	var read, done atomic.Int64
	var most int64
	l := func(yield func(*batch.Item, error) bool) {
		u := uri.MustParse("http://h/")
		for range 20_000 {
			most = max(most, read.Add(1)-done.Load())
			if !yield(&batch.Item{URI: u}, nil) {
				return
			}
		}
	}
	sum := run(t, l, func(context.Context, *batch.Item) (int64, error) { done.Add(1); return 0, nil }, &batch.Options{Window: 100})
	if sum.Done != 20_000 || most > 100+8+1 {
		t.Errorf("got %d done, at most %d held; want Done %v and most <= %v", sum.Done, most, 20_000, 100+8+1)
	}
}

func TestCancelEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		ended := 0
		task := func(ctx context.Context, it *batch.Item) (int64, error) {
			select {
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			case <-time.After(3 * time.Second):
				return 1, nil
			}
		}
		sum, err := batch.Run(ctx, list(100, "a", "b"), task, &batch.Options{Parallel: 2, Done: func(*batch.Item, int64, error) { ended++ }})
		if !errors.Is(err, context.Canceled) || sum.Done != 6 || sum.Failed != 0 || ended != 6 {
			t.Errorf("%+v, ended %d, %v", sum, ended, err)
		}
	})
}

func TestABadLineIsOneFailure(t *testing.T) {
	l := func(yield func(*batch.Item, error) bool) {
		_ = yield(&batch.Item{URI: uri.MustParse("http://h/")}, nil) && yield(nil, fetch.Errorf(fetch.ErrRefusedURL, "bad")) &&
			yield(&batch.Item{URI: uri.MustParse("http://h/2")}, nil)
	}
	sum := run(t, l, func(context.Context, *batch.Item) (int64, error) { return 1, nil }, nil)
	if sum.Done != 2 || sum.Failed != 1 || fetch.KindOf(sum.First) != fetch.ErrRefusedURL {
		t.Errorf("got %+v, want Done 2, Failed 1 and fetch.KindOf(sum.First) ErrRefusedURL", sum)
	}
}

// again is a list of n items on a number of hosts, generated while it is read.
func again(n, hosts int) func(func(*batch.Item, error) bool) {
	us := make([]uri.URI, hosts)
	for i := range us {
		us[i] = uri.MustParse(fmt.Sprintf("http://h%d/a", i))
	}
	return func(yield func(*batch.Item, error) bool) {
		for i := range n {
			if !yield(&batch.Item{URI: us[i%hosts]}, nil) {
				return
			}
		}
	}
}

// BenchmarkRun processes lists of one to a million items with an empty Task.
func BenchmarkRun(b *testing.B) {
	for n := 1; n <= 1_000_000; n *= 100 {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				batch.Run(b.Context(), again(n, 10), func(context.Context, *batch.Item) (int64, error) { return 1, nil }, nil)
			}
		})
	}
}

// TestManyItemsAreNotHeld: only the Window is in memory, and no finished item, on few hosts or many.
func TestManyItemsAreNotHeld(t *testing.T) {
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const items = 20_000 // would take more than 4 MiB
	for _, hosts := range []int{1, 10_000} {
		list := again(items, hosts)
		before, most := inUse(), int64(0)
		ended := 0
		o := &batch.Options{Done: func(*batch.Item, int64, error) {
			if ended++; ended%(items/5) == 0 {
				most = max(most, inUse()-before)
			}
		}}
		sum, err := batch.Run(t.Context(), list, func(context.Context, *batch.Item) (int64, error) { return 1, nil }, o)
		if err != nil || sum.Done != items || most > 2<<20 {
			t.Errorf("%d hosts: got %d done, %v, %d bytes held; want Done %v and most <= %v", hosts, sum.Done, err, most, items, 2<<20)
		}
	}
}

// slowJournal is interrupted while it looks an item up.
type slowJournal struct{ interrupt func() }

func (j slowJournal) Done(*batch.Item) (bool, error) {
	j.interrupt()
	time.Sleep(time.Second)
	return true, nil
}

func (slowJournal) Note(items []batch.Finished) (int, error) { return len(items), nil }

// Run waits for the item that its reader works on, although it does not wait for the list.
func TestRunWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		sum, err := batch.Run(ctx, list(2, "a"), nil, &batch.Options{Journal: slowJournal{cancel}})
		if sum.Skipped != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("got %d skipped and %v, want 1 and a canceled run", sum.Skipped, err)
		}
	})
}
