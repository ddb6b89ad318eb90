package batch_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

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
		{1000, 1, 10_000}, {100 << 10, 1, 1 << 20}, {100 << 10, 8, 128 << 10}, {10 << 20, 4, 25 << 20}, {1, 1, 10}, {1 << 30, 2, 1 << 30},
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
