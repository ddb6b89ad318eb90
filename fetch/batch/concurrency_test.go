package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// TestDefaultConcurrency checks that a host gets as many requests at a time as before, however many hosts a list has, and that many hosts
// are worked on together.
func TestDefaultConcurrency(t *testing.T) {
	t.Parallel()
	var hosts []string
	for i := range 20 {
		hosts = append(hosts, fmt.Sprintf("h%d", i))
	}
	for _, test := range []struct {
		name      string
		hosts     []string
		options   batch.Options
		host, all int
	}{
		{"one host", hosts[:1], batch.Options{}, 8, 8},
		{"many hosts", hosts, batch.Options{}, 8, 50},
		{"the user's number", hosts[:1], batch.Options{Parallel: 12}, 12, 12},
		{"the user's number for a host", hosts, batch.Options{PerHost: 2}, 2, 40},
		{"in order", hosts, batch.Options{Order: &row{}}, 8, 50},
		{"a pause", hosts, batch.Options{Pause: time.Second}, 1, 20},
		{"no host", []string{""}, batch.Options{}, 8, 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, o := newDiary(), test.options
				run(t, list(40, test.hosts...), d.task(time.Second, nil), &o)
				if host, all := d.most[test.hosts[0]], d.most["all"]; host > test.host || all != test.all {
					t.Errorf("got at most %d requests at a time to a host and %d in total, want at most %d and exactly %d", host, all, test.host, test.all)
				}
			})
		})
	}
}

// TestDescriptors: an item that gets no file descriptor is done again when another has ended, which is not a retry, and fewer run at a time. Only
// an item that gets none three times while nothing else runs has failed.
func TestDescriptors(t *testing.T) {
	var hosts []string
	for i := range 60 {
		hosts = append(hosts, fmt.Sprintf("h%d", i))
	}
	none := &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}
	for _, refusal := range []error{none, fetch.Errorf(fetch.ErrLocal, "%w", none), &fs.PathError{Op: "open", Path: "x", Err: syscall.ENFILE}} {
		for limit, want := range map[int]int64{0: 0, 1: 120, 2: 120, 7: 120} {
			for name, hosts := range map[string][]string{"hosts": hosts, "no host": {"", ""}} {
				t.Run(fmt.Sprint(refusal, " ", limit, " ", name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						r := &rationed{limit: always(limit), refusal: refusal}
						sum := run(t, list(120/len(hosts), hosts...), r.task, &batch.Options{Parallel: 50})
						tries := want + 3*(120-want) + 50
						if sum.Done != want || sum.Failed != 120-want || sum.Retries != 0 || int64(r.asked) > tries || r.most != limit {
							t.Errorf("got %+v, %d tries, %d at a time; want %d done, at most %d tries, %d at a time", sum, r.asked, r.most, want, tries, limit)
						}
					})
				})
			}
		}
	}
}

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

// zeros is a Getter for documents of the given size.
type zeros int

func (z zeros) Plan(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
	return &fetch.Plan{URI: u}, nil
}

func (z zeros) Get(context.Context, uri.URI, *fetch.Options) (*fetch.Document, error) {
	return fetch.NewDocument(io.NopCloser(io.LimitReader(zero{}, int64(z)))), nil
}

// zero reads as zero bytes without an end.
type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestThrottle: the rate applies to all transfers together, and is closely reached but not exceeded.
func TestThrottle(t *testing.T) {
	for _, test := range []struct {
		rate      int64
		transfers int
		each      int
	}{
		{1000, 1, 10_000}, {100 << 10, 1, 1 << 20}, {100 << 10, 8, 128 << 10}, {10 << 20, 4, 5 << 20}, {1, 1, 10}, {1 << 27, 2, 1 << 25},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := batch.Throttle(zeros(test.each), test.rate)
			began := time.Now()
			var wg sync.WaitGroup
			for range test.transfers {
				wg.Go(func() {
					d, err := c.Get(t.Context(), uri.URI{}, nil)
					if err != nil {
						t.Error(err)
						return
					}
					defer d.Body.Close()
					if n, err := io.Copy(io.Discard, d.Body); n != int64(test.each) || err != nil {
						t.Errorf("got %d bytes, %v; want n %v", n, err, int64(test.each))
					}
				})
			}
			wg.Wait()
			want := time.Duration(float64(test.transfers) * float64(test.each) / float64(test.rate) * float64(time.Second))
			if took := time.Since(began); took < want*85/100-time.Second/10 || took > want*105/100 {
				t.Errorf("%d bytes a second, %d of %d bytes: got %v, want %v", test.rate, test.transfers, test.each, took, want)
			}
		})
	}
}

func TestThrottleWithoutRate(t *testing.T) {
	var z fetch.Getter = zeros(1)
	if batch.Throttle(z, 0) != z {
		t.Error("a Getter without a limit is wrapped, and loses its fast ways of copying")
	}
}

func TestCancelEndsTheWaitOfThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		d, _ := batch.Throttle(zeros(1_000_000), 1000).Get(ctx, uri.URI{}, nil)
		began := time.Now()
		if _, err := io.Copy(io.Discard, d.Body); !errors.Is(err, context.Canceled) || time.Since(began) != time.Second {
			t.Errorf("got %v after %v, want the cancellation at once", err, time.Since(began))
		}
	})
}

// TestPoliteConcurrency: a host gets more requests at a time only while that makes none of them slower, and never again after a refusal.
func TestPoliteConcurrency(t *testing.T) {
	for _, test := range []struct {
		name       string
		serves     int // documents at a time; more of them share the time
		refuses    int // it refuses requests beyond this number; 0 is no limit
		most, last int
	}{
		{"any number", 100, 0, 4, 4},
		{"three", 3, 0, 4, 3},
		{"two", 2, 0, 3, 2},
		{"one", 1, 0, 3, 2},
		{"any number, and refuses the fourth", 100, 3, 4, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var active, most, last atomic.Int64
				task := func(_ context.Context, it *batch.Item) (int64, error) {
					n := active.Add(1)
					defer active.Add(-1)
					most.Store(max(most.Load(), n))
					if last.Store(max(last.Load(), n)); it.Number <= 180 {
						last.Store(0)
					}
					if test.refuses > 0 && n > int64(test.refuses) && it.Number <= 180 {
						return 0, &fetch.Error{Kind: fetch.ErrUnavailable, Text: "421", Busy: true}
					}
					time.Sleep(100 * time.Millisecond * time.Duration(1+max(0, int(n)-test.serves)))
					return 1, nil
				}
				o := batch.Options{}.Polite()
				if sum := run(t, list(200, "a"), task, &o); sum.Done != 200 || int(most.Load()) != test.most || int(last.Load()) != test.last {
					t.Errorf("%+v, at most %d at a time and %d at the end, want %d and %d", sum, most.Load(), last.Load(), test.most, test.last)
				}
			})
		})
	}
}
