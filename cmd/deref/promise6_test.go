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
	endless := map[string]string{"a line": "x", "lines": "220-go on\r\n", "zeros": "\x00", "lists": "((",
		"frames": "\x30\x84\x7f\xff\xff\xff", "fields": "Name: value\r\n",
		"entries": "drwx------ 2 0 0 9 Jan 1 1970 x\r\n"}
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte) {
		total := wholeOf(t, newClient, u)
		attempt := func(words string, at int64) {
			c := newClient()
			defer c.Close()
			c.Timeouts = brief()
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
		// Clients of datagram protocols ignore what they do not understand and wait. Together, their attempts may use no more memory than
		// one attempt of another scheme.
		datagrams := u.Scheme() == "snmp" || u.Scheme() == "prospero"
		var wg sync.WaitGroup
		run := func() {
			for name, words := range endless {
				for _, at := range points(total, 4) {
					if datagrams {
						wg.Go(func() { attempt(words, at) })
					} else if peak := peakOf(func() { attempt(words, at) }); peak > most {
						t.Errorf("%s at %d: %d MiB, want at most %d", name, at, peak>>20, most>>20)
					}
				}
			}
			wg.Wait()
		}
		if !datagrams {
			run()
		} else if peak := peakOf(run); peak > most {
			t.Errorf("all at once: %d MiB, want at most %d", peak>>20, most>>20)
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
