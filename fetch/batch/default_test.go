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
)

// TestPoliteConcurrency: a host gets more requests at a time only while that makes none of them slower, and never again after a refusal.
func TestPoliteConcurrency(t *testing.T) {
	for _, test := range []struct {
		name       string
		serves     int // documents at a time; more of them share the time
		refuses    int // the number of requests at a time beyond which it refuses; 0 is none
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
