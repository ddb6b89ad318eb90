package main

import (
	"io"
	"runtime"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A server that never stops, from any point of the conversation on, whatever it says, makes us hold less than 64 MiB (promise 6).
func TestPromise6EverySchemeIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes most of a minute")
	}
	const most = 64 << 20
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte) {
		octets := wholeOf(t, newClient, u)
		for name, words := range map[string]string{"a line": "x", "lines": "220-go on\r\n", "zeros": "\x00", "lists": "((", "frames": "\x30\x84\x7f\xff\xff\xff", "fields": "Name: value\r\n",
			"entries": "drwx------ 2 0 0 9 Jan 1 1970 x\r\n"} {
			for _, at := range points(octets, 4) {
				c := newClient()
				c.Timeouts = brief()
				c.Limits.Document = 8 << 20
				meddle(c, at, repeats(words))
				if peak := peakOf(func() {
					d, err := c.Get(t.Context(), u, nil)
					if err == nil {
						io.Copy(io.Discard, d.Body)
					}
					if d != nil {
						d.Body.Close()
					}
				}); peak > most {
					t.Errorf("%s at %d: %d MiB", name, at, peak>>20)
				}
				c.Close()
			}
		}
	})
}

// peakOf is by how much the heap is larger than before, at worst, while f runs.
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
