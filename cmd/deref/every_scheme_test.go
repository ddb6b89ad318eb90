package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// everyScheme runs f for the documents of each scheme that has a server in this module; with -short, for one document of each.
func everyScheme(t *testing.T, f func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte)) {
	t.Helper()
	eachSight(t, 1, f)
}

// The limits of schemes and attempts at a time: an FTP session uses five descriptors in this process, and ulimit -n may be 256.
const (
	maxSchemes  = 8
	maxAttempts = 32
)

// everySchemeAtOnce is everyScheme for tests that mostly wait: several schemes run at a time. try runs an attempt in its own goroutine, at
// most n of them at a time in total. A subtest ends after its last attempt.
func everySchemeAtOnce(t *testing.T, n int, f func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte,
	try func(func()))) {
	t.Helper()
	free := make(chan struct{}, n)
	eachSight(t, maxSchemes, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		var attempts sync.WaitGroup
		defer attempts.Wait()
		f(t, newClient, u, want, func(attempt func()) {
			free <- struct{}{}
			attempts.Go(func() {
				defer func() { <-free }()
				attempt()
			})
		})
	})
}

// startServers starts the servers of all schemes, and returns them with their documents.
func startServers(t *testing.T) (list []testservers.Running, sights []testservers.Document, stop func()) {
	t.Helper()
	site := testdata.Site()
	list, err := testservers.Start(site, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	sights, done, err := testservers.Documents(site, list)
	if err != nil {
		testservers.Stop(list)
		t.Fatal(err)
	}
	return list, sights, func() { done(); testservers.Stop(list) }
}

// eachSight runs a subtest for each document, n of them at a time.
func eachSight(t *testing.T, n int, f func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte)) {
	t.Helper()
	servers, sights, stop := startServers(t)
	defer stop()
	all := schemes.All(nil) // they hold no state: that is in the Client
	newClient := func() *fetch.Client {
		c := fetch.New(all...)
		testservers.Join(c, servers)
		return c
	}
	var running sync.WaitGroup
	defer running.Wait()
	free := make(chan struct{}, n)
	seen := map[string]bool{}
	for _, s := range sights {
		u := uri.MustParse(s.URI)
		if testing.Short() && seen[u.Scheme()] {
			continue
		}
		seen[u.Scheme()] = true
		if s.Search {
			c := newClient()
			hit, err := testservers.FirstHit(t.Context(), c, u)
			if err != nil {
				t.Fatal(err)
			}
			u = hit
			c.Close()
		}
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			t.Run(u.Scheme(), func(t *testing.T) { f(t, newClient, u, s.Want) })
		})
	}
}

// read retrieves the whole of u. The document of a session is its first screen.
func read(ctx context.Context, c *fetch.Client, u uri.URI, o *fetch.Options) ([]byte, *fetch.Document, error) {
	d, err := c.Get(ctx, u, o)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return nil, d, err
	}
	b, err := io.ReadAll(d.Body)
	if errors.Is(err, fetch.ErrInteractive) {
		err = nil
	}
	return b, d, err
}

// A request for a range gives that range or an error, never silently the whole document.
func TestPromise10RangeOfEveryScheme(t *testing.T) {
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		c := newClient()
		defer c.Close()
		for _, r := range []fetch.Range{{From: 2, To: 5}, {From: int64(len(want)) / 2}} {
			part := want[r.From:]
			if r.To > 0 {
				part = want[r.From:r.To]
			}
			got, d, err := read(t.Context(), c, u, &fetch.Options{Range: r})
			switch {
			case fetch.KindOf(err) == fetch.ErrRange:
			case err != nil:
				t.Errorf("%s %v: got %v, want the range or %s", u, r, err, fetch.ErrRange)
			case d.Offset == 0 && bytes.Equal(got, want): // Offset 0 reports that this is the whole document
			case d.Offset != r.From || !bytes.Equal(got, part):
				t.Errorf("%s %v returned %d bytes from %d on, want %d", u, r, len(got), d.Offset, len(part))
			}
		}
	})
}

// A document that exceeds the limit is an error, whether or not its length is known in advance. One of exactly that length is not.
func TestPromise6LimitOfEveryScheme(t *testing.T) {
	t.Parallel()
	eachSight(t, maxSchemes, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		for _, short := range []int64{1, 0} {
			c := newClient()
			defer c.Close()
			c.Limits.Document = int64(len(want)) - short
			_, _, err := read(t.Context(), c, u, nil)
			if kind := fetch.KindOf(err); (kind == fetch.ErrLimit) != (short == 1) || short == 0 && err != nil {
				t.Errorf("%s of %d bytes with a limit of %d: got %v, want a limit error: %v", u, len(want), c.Limits.Document, err, short == 1)
			}
		}
	})
}

// Many concurrent requests with one Client return the same bytes as a single one.
func TestPromise1ParallelOfEveryScheme(t *testing.T) {
	long(t, "many commands or processes")
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		c := newClient()
		defer c.Close()
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				got, _, err := read(t.Context(), c, u, nil)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: got %d bytes, %v; want the %d of the document", u, len(got), err, len(want))
				}
			})
		}
		wg.Wait()
	})
}

// A request that is canceled at the first, second, ... event of the conversation ends at once and leaves no goroutine and no descriptor.
func TestPromise5CancelOfEveryScheme(t *testing.T) { // not parallel: it counts the resources of the process
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte) {
		cancelled := func(at int64) (ended bool) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var n atomic.Int64
			c := newClient()
			defer c.Close()
			_, _, err := read(ctx, c, u, &fetch.Options{Trace: func(fetch.Event) {
				if n.Add(1) == at {
					cancel()
				}
			}})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s canceled at event %d: got %v, want %v", u, at, err, context.Canceled)
			}
			return n.Load() < at
		}
		cancelled(1)
		before := resources()
		at := int64(1)
		for at < 200 && !cancelled(at) {
			if at++; testing.Short() {
				at += at / 2
			}
		}
		if at < 2 && u.Scheme() != "data" && u.Scheme() != "file" {
			t.Errorf("%s: got no conversation, want one", u)
		}
		if !loopback.Poll(time.Minute, func() bool {
			after := resources()
			return after.goroutines <= before.goroutines && after.descriptors <= before.descriptors
		}) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%s: got %+v after the request, want at most %+v\n%s", u, resources(), before, buf[:runtime.Stack(buf, true)])
		}
	})
}

type held struct{ goroutines, descriptors int }

// resources counts the goroutines and descriptors of this process.
func resources() held {
	h := held{goroutines: runtime.NumGoroutine()}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.descriptors = len(open)
	}
	return h
}
