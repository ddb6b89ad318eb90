package main

import (
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A server that sends without end, from any point of the conversation on, makes the Client use less than 64 MiB (promise 6).
func TestPromise6EverySchemeIsBounded(t *testing.T) { // not parallel: it counts the memory of the process
	if testing.Short() {
		t.Skip("it takes most of a minute")
	}
	const most = 64 << 20
	endless := []string{"x", "220-go on\r\n", "\x00", "((", "\x30\x84\x7f\xff\xff\xff", "Name: value\r\n", "drwx------ 2 0 0 9 Jan 1 1970 x\r\n"}
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte) {
		total := wholeOf(t, newClient, u)
		attempt := func(words string, at int64) {
			c := newClient()
			defer c.Close()
			c.Timeouts = brief()
			c.Timeouts.Total = 4 * time.Second // long enough to grow, next to the other attempts
			c.Limits.Document = 8 << 20
			meddle(c, at, repeats(words))
			d, err := c.Get(t.Context(), u, nil)
			if err == nil {
				io.Copy(io.Discard, d.Body)
			}
			if d != nil {
				d.Body.Close()
			}
		}
		// The attempts of a scheme run at the same time, and together use no more.
		peak := peakOf(func() {
			var wg sync.WaitGroup
			for _, words := range endless {
				for _, at := range points(total, 4) {
					wg.Go(func() { attempt(words, at) })
				}
			}
			wg.Wait()
		})
		if peak > most {
			t.Errorf("got %d MiB, want at most %d", peak>>20, most>>20)
		}
	})
}

// peakOf returns by how much the heap grows, at most, while f runs.
func peakOf(f func()) uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, peak := m.HeapAlloc, m.HeapAlloc
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak - before
		case <-tick.C:
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
}
