// Package retry tries again what failed for a reason that may pass: a host that cannot be reached, a connection that breaks, a
// server that says "not now". Everything that is tried again here only reads.
//
// A Policy says how often and for how long; its zero value never tries again. Waiting grows from a second to two minutes, with
// jitter, so that a thousand clients that lost one server do not come back together. A server that says itself when to come
// back (Retry-After, gemini's 44) is taken at its word.
//
// What has arrived is kept: Policy.File continues NAME.part, and a Client continues within a Body, each only while the server's
// word shows that the object is still the same.
package retry

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"example.org/deref/fetch"
)

// A Policy says how often something is tried again. The zero value means never.
type Policy struct {
	// Whole begins each try of a file at the beginning: an archive is to have the document in one piece.
	Whole bool

	Retries int           // tries after the first
	MaxTime time.Duration // no retry begins later than this after the first try began; 0 is no limit

	First time.Duration // before the first retry, about; 0 is a second
	Most  time.Duration // between two tries, about; 0 is two minutes
}

const (
	defaultFirst = time.Second
	defaultMost  = 2 * time.Minute
)

// MaxAfter is how long a server's own word is waited for: one that asks for more is given up, to be asked another day.
const MaxAfter = 10 * time.Minute

// Worth reports whether the reason of err may pass by itself.
func Worth(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	switch fetch.KindOf(err) {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout, fetch.ErrTruncated, fetch.ErrTransfer, fetch.ErrUnavailable:
		return true
	}
	return false
}

// After returns how long the server has asked to be left alone, 0 where it has not.
func After(err error) time.Duration {
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return e.After
	}
	return 0
}

// A Series is the tries of one request.
type Series struct {
	policy Policy
	began  time.Time
	tries  int
	back   backoff.ExponentialBackOff
}

// Begin starts a series whose first try began at the given time.
func (p Policy) Begin(at time.Time) *Series {
	first, most := p.First, p.Most
	if first <= 0 {
		first = defaultFirst
	}
	if most <= 0 {
		most = defaultMost
	}
	s := &Series{policy: p, began: at, back: *backoff.NewExponentialBackOff()}
	s.back.InitialInterval, s.back.MaxInterval, s.back.Multiplier = first, max(first, most), 2
	s.back.Reset()
	return s
}

// Left returns the policy for what is left of the series: its tries, and its time.
func (s *Series) Left() Policy {
	p := s.policy
	p.Retries -= s.tries
	if p.MaxTime > 0 {
		p.MaxTime = max(1, p.MaxTime-time.Since(s.began))
	}
	return p
}

// Next is told the error of a try, and says whether another is worth it and how long to wait before.
func (s *Series) Next(err error) (wait time.Duration, again bool) {
	if s.tries >= s.policy.Retries || !Worth(err) {
		return 0, false
	}
	s.tries++
	wait = s.back.NextBackOff()
	if after := After(err); after > 0 {
		if after > MaxAfter {
			return 0, false
		}
		wait = after
	}
	if t := s.policy.MaxTime; t > 0 && time.Since(s.began)+wait > t {
		return 0, false
	}
	return wait, true
}

// Do calls try until it succeeds, fails for good, or the policy or ctx ends it; it returns the last error. try is told how often
// it was called before.
func (p Policy) Do(ctx context.Context, try func(tried int) error) error {
	var s *Series
	began := time.Now()
	for n := 0; ; n++ {
		err := try(n)
		if err == nil || p.Retries <= 0 || ctx.Err() != nil {
			return err
		}
		if s == nil {
			s = p.Begin(began)
		}
		wait, again := s.Next(err)
		if !again || !sleep(ctx, wait) {
			return err
		}
	}
}

// sleep reports whether it was left to sleep to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
