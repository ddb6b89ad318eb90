package batch_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch/batch"
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
