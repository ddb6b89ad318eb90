package fetch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestPromise5PacketsWaitIsBounded(t *testing.T) { synctest.Test(t, packetsWaitIsBounded) }

func packetsWaitIsBounded(t *testing.T) {
	c := fetch.New(scheme("a", datagrams(20*time.Millisecond)))
	play(t, c, "C0: ping")
	start := time.Now()
	_, err := get(t, c, "a://h/", nil)
	wantKind(t, err, fetch.ErrTimeout)
	if took := time.Since(start); took != 20*time.Millisecond {
		t.Errorf("got the timeout after %s, want 20 ms", took)
	}
	c = fetch.New(scheme("a", datagrams(time.Minute)))
	play(t, c, "C0: ping")
	ctx, cancel := context.WithCancel(t.Context())
	start = time.Now()
	time.AfterFunc(time.Second, cancel)
	_, err = c.Get(ctx, uri.MustParse("a://h/"), nil)
	if took := time.Since(start); !errors.Is(err, context.Canceled) || took != time.Second {
		t.Errorf("got %v after %s, want %v after a second", err, took, context.Canceled)
	}
}
