package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A request that is canceled at any moment causes no data race, returns the whole document or the caller's error, and leaves shared
// connections usable. The test finds most with -race and DEREF_DEADLINES=20s, the time for each scheme.
func TestDeadlinesAtAnyMomentOfEveryScheme(t *testing.T) {
	t.Parallel()
	each, workers := 20*time.Millisecond, 64
	if testing.Short() {
		each, workers = 0, 16 // one request of each
	}
	if s := os.Getenv("DEREF_DEADLINES"); s != "" {
		var err error
		if each, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	eachSight(t, 4, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		c := newClient()
		defer c.Close()
		var took, whole, ended atomic.Int64 // the time that a request takes; the number of complete and of canceled requests
		start := time.Now()
		if _, _, err := read(t.Context(), c, u, nil); err != nil {
			t.Fatal(err)
		}
		took.Store(8 * int64(time.Since(start)+time.Microsecond)) // with many at a time
		stop := time.Now().Add(each)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for first := true; first || time.Now().Before(stop); first = false {
					start := time.Now()
					err := endedAt(t, c, u, want, time.Duration(rand.Int64N(2*took.Load())))
					switch kind := fetch.KindOf(err); {
					case err == nil:
						whole.Add(1)
						took.Store((7*took.Load() + int64(time.Since(start))) / 8)
					case kind == fetch.ErrTimeout, kind == fetch.ErrCanceled:
						ended.Add(1)
						took.Add(took.Load() / 64) // in case no request completes
					default:
						t.Errorf("%s: %v of kind %q, want the document, or an error of kind timeout or interrupted", u, err, kind)
						return
					}
				}
			})
		}
		wg.Wait()
		if got, _, err := read(t.Context(), c, u, nil); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s afterwards: %d bytes, %v, want %d", u, len(got), err, len(want))
		}
		t.Logf("%d whole, %d ended, %s for one", whole.Load(), ended.Load(), time.Duration(took.Load()).Round(time.Microsecond))
	})
}

// endedAt dereferences u until the document is complete or the time is over, by a deadline or by canceling. It reads bytes or entries.
func endedAt(t *testing.T, c *fetch.Client, u uri.URI, want []byte, after time.Duration) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	timed, stop := context.WithTimeout(ctx, after)
	defer stop()
	if rand.IntN(2) == 0 {
		ctx = timed
	} else {
		context.AfterFunc(timed, cancel)
	}
	o := &fetch.Options{}
	if rand.IntN(2) == 0 {
		o.Trace = func(fetch.Event) {}
	}
	d, err := c.Get(ctx, u, o)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return err
	}
	if d.Entries != nil && rand.IntN(2) == 0 {
		for _, err := range d.Entries {
			if err != nil && fetch.KindOf(err) != fetch.ErrInteractive {
				return err
			}
		}
		return nil
	}
	got, err := io.ReadAll(d.Body)
	if fetch.KindOf(err) == fetch.ErrInteractive {
		err = nil
	}
	if err == nil && !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes without an error, want %d", u, len(got), len(want))
	}
	return err
}

// brief returns short timeouts for these tests.
func brief() fetch.Timeouts {
	return fetch.Timeouts{Connect: 5 * time.Second, Idle: 300 * time.Millisecond, Total: time.Second}
}

// Whatever the server sends from any point on, the request ends within its timeouts (promise 5): the server itself never ends. fetchtest.Test tries
// silence at each byte, in simulated time.
func TestPromise5EverySchemeEnds(t *testing.T) {
	long(t, "it takes seconds")
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte, try func(func())) {
		total := wholeOf(t, newClient, u)
		for name, then := range map[string]func(*meddled, []byte) (int, error){
			"drip": drips, "noise": pauses(repeats("\xff\x00\x80\r\n")), "lines": pauses(repeats("-")),
			"numbers": pauses(repeats("200-1 2 3\r\n"))} {
			for _, at := range points(total, 3) {
				try(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					c := newClient()
					c.Timeouts = brief()
					defer c.Close()
					meddle(c, at, then)
					if d, _ := c.Get(ctx, u, nil); d != nil {
						io.Copy(io.Discard, d.Body)
						d.Body.Close()
					}
					if ctx.Err() != nil {
						t.Errorf("%s from byte %d on: the request had not ended after a minute, want an end within its timeouts", name, at)
					}
				})
			}
		}
	})
}
