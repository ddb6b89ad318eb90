package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/cmd/internal/local"
	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// everyScheme runs f for one or more documents of each scheme that has a server in this module, and with -short for one.
func everyScheme(t *testing.T, f func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte)) {
	t.Helper()
	eachSight(t, 1, f)
}

// How many schemes and attempts run at the same time: an FTP session has five descriptors in this process, and ulimit -n may be 256.
const (
	maxSchemes  = 8
	maxAttempts = 32
)

// everySchemeAtOnce is everyScheme for tests that wait more than they compute. Several schemes run at the same time. try runs an attempt in a goroutine
// of its own, at most n of them at once in total, and a subtest ends after its last attempt.
func everySchemeAtOnce(t *testing.T, n int, f func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte, try func(func()))) {
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

// eachSight runs a subtest for each document, n of them at the same time.
func eachSight(t *testing.T, n int, f func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte)) {
	t.Helper()
	site := testdata.Site()
	list, err := local.Start(site, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Stop(list)
	sights, done, err := local.Documents(site, list)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	newClient := func() *fetch.Client {
		c := fetch.New(schemes.All(nil)...)
		c.FirstUse = new(tofu.Store).Check
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
			if u, err = local.FirstHit(t.Context(), c, u); err != nil {
				t.Fatal(err)
			}
			c.Close()
		}
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			t.Run(u.Scheme(), func(t *testing.T) { f(t, newClient, u, s.Want) })
		})
	}
}

// read is the whole of u. Of a session the first screen is all that there is.
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

// A range is that range, or refused, and never the whole without a word (issue 15 item 2).
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
				t.Errorf("%s %v: %v", u, r, err)
			case d.Offset == 0 && bytes.Equal(got, want): // said by Offset
			case d.Offset != r.From || !bytes.Equal(got, part):
				t.Errorf("%s %v returned %d bytes from %d on, want %d", u, r, len(got), d.Offset, len(part))
			}
		}
	})
}

// What is there already is continued where it is the beginning of the document, and only there (issue 15 item 2): whatever stood under
// the name, it is the document afterwards, or nothing has changed.
func TestResumeOfEveryScheme(t *testing.T) {
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		c := newClient()
		defer c.Close()
		for what, old := range map[string][]byte{"beginning": want[:len(want)/2], "other": bytes.Repeat([]byte("?"), len(want)/2), "whole": want} {
			path := filepath.Join(t.TempDir(), "doc")
			if err := os.WriteFile(path, old, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := save.File(t.Context(), c, u, nil, &save.Options{Path: path, Resume: true})
			got, _ := os.ReadFile(path)
			switch {
			case errors.Is(err, fetch.ErrInteractive), fetch.KindOf(err) == fetch.ErrRange:
				if !bytes.Equal(got, old) && !bytes.Equal(got, want) {
					t.Errorf("%s over %s: %v, and the file is neither old nor new", u, what, err)
				}
			case err != nil || !bytes.Equal(got, want):
				t.Errorf("%s over %s: %d bytes, %v", u, what, len(got), err)
			}
		}
	})
}

// A document longer than the limit is an error, whether its length is known before or not, and none that is just as long.
func TestPromise6LimitOfEveryScheme(t *testing.T) {
	t.Parallel()
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		for _, short := range []int64{1, 0} {
			c := newClient()
			defer c.Close()
			c.Limits.Document = int64(len(want)) - short
			_, _, err := read(t.Context(), c, u, nil)
			if kind := fetch.KindOf(err); (kind == fetch.ErrLimit) != (short == 1) || short == 0 && err != nil {
				t.Errorf("%s of %d bytes with a limit of %d: %v", u, len(want), c.Limits.Document, err)
			}
		}
	})
}

// Many requests at a time with one Client return the same bytes as one alone.
func TestPromise1ParallelOfEveryScheme(t *testing.T) {
	t.Parallel()
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		c := newClient()
		defer c.Close()
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				got, _, err := read(t.Context(), c, u, nil)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes, %v", u, len(got), err)
				}
			})
		}
		wg.Wait()
	})
}

// Wherever a request is cancelled, it ends at once and leaves no goroutine and no descriptor: the caller gives up
// at the first event of the conversation, at the second, and so on.
func TestPromise5CancelOfEveryScheme(t *testing.T) { // not parallel: it counts what the process holds
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
				t.Errorf("%s cancelled at event %d: %v", u, at, err)
			}
			return n.Load() < at
		}
		cancelled(1)
		before := resources()
		at := int64(1)
		for ; at < 200 && !cancelled(at); at++ {
		}
		if at < 2 && u.Scheme() != "data" && u.Scheme() != "file" {
			t.Errorf("%s has no conversation", u)
		}
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			after := resources()
			if after.goroutines <= before.goroutines && after.descriptors <= before.descriptors {
				return
			}
			if time.Now().After(end) {
				buf := make([]byte, 1<<20)
				t.Fatalf("%s: before %+v, after %+v\n%s", u, before, after, buf[:runtime.Stack(buf, true)])
			}
		}
	})
}

type held struct{ goroutines, descriptors int }

// resources are what this process holds.
func resources() held {
	h := held{goroutines: runtime.NumGoroutine()}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.descriptors = len(open)
	}
	return h
}
