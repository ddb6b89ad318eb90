package mail

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
)

// A wait for bytes that no response will bring ends with the time for a reply, or with the request. An idle session waits as long as
// necessary.
func TestGuardWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := &guard{idle: time.Minute, ctx: ctx}
		g.changed.L = &g.mu
		ended := make(chan error, 1)
		go func() { _, err := g.wait(); ended <- err }()
		time.Sleep(time.Hour)
		select {
		case err := <-ended:
			t.Fatalf("an idle session ends: got %v, want it to wait", err)
		default:
		}
		start := time.Now()
		g.call(func() error {
			if err := <-ended; fetch.KindOf(err) != fetch.ErrProtocol || time.Since(start) != 2*time.Minute {
				t.Errorf("after %s: got %v, want %v, after %v", time.Since(start), err, fetch.ErrProtocol, 2*time.Minute)
			}
			return nil
		})
		g = &guard{idle: time.Minute, ctx: ctx}
		g.changed.L = &g.mu
		go func() { _, err := g.wait(); ended <- err }()
		for range 3 { // calls that return in time leave no timer running
			g.call(func() error { time.Sleep(80 * time.Second); return nil })
		}
		time.AfterFunc(time.Second, cancel)
		start = time.Now()
		g.call(func() error {
			if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
				t.Errorf("after %s: got %v, want %v, after %v", time.Since(start), err, context.Canceled, time.Second)
			}
			return nil
		})
	})
}
