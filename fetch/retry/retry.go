// Package retry repeats requests that failed for a temporary reason: a host that cannot be reached, a connection that breaks, a server that
// replies "not now". Only reading operations are retried.
//
// A Policy determines how often and for how long; its zero value never retries. Pauses grow from a second to two minutes, with jitter, so
// that a thousand clients of one failed server do not come back together. A pause that the server itself requests (Retry-After, gemini's
// 44) is respected.
//
// Received data is kept: Policy.File continues NAME.part, and a Client continues within a Body, each only while the server's validators
// show that the object is unchanged.
package retry

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"example.org/deref/fetch"
)

// A Policy determines how often something is retried. The zero value means never.
type Policy struct {
	// Whole makes each try of a file start at the beginning, because an archive should contain the document in one piece.
	Whole bool

	// All makes errors of servers retried that are not temporary by themselves, such as ErrNotFound.
	All bool

	Retries int           // tries after the first
	MaxTime time.Duration // no retry begins later than this after the first try began; 0 is no limit
	Delay   time.Duration // the pause before each retry, in place of growing ones; negative is none
}

const (
	firstPause   = time.Second // approximately, as is the longest one
	longestPause = 2 * time.Minute
)

// MaxAfter is the longest pause that a server may request. If it requests more, retrying ends.
const MaxAfter = 10 * time.Minute

// worth reports whether the policy retries after err: after one that may be temporary, or with All after any of a server.
func (p *Policy) worth(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	switch fetch.KindOf(err) {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout, fetch.ErrTruncated, fetch.ErrTransfer, fetch.ErrUnavailable:
		return true
	case fetch.ErrTLS, fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrProtocol, fetch.ErrDecode:
		return p.All
	}
	return false
}

// After returns the pause that the server has requested, or 0.
func After(err error) time.Duration {
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return e.After
	}
	return 0
}

// A Series counts the tries of one request.
type Series struct {
	policy Policy
	began  time.Time
	tries  int
	back   backoff.ExponentialBackOff
}

// Begin starts a series whose first try began at the given time.
func (p Policy) Begin(at time.Time) *Series {
	s := &Series{policy: p, began: at, back: *backoff.NewExponentialBackOff()}
	s.back.InitialInterval, s.back.MaxInterval, s.back.Multiplier = firstPause, longestPause, 2
	s.back.Reset()
	return s
}

// Left returns a policy with the remaining tries and time of the series.
func (s *Series) Left() Policy {
	p := s.policy
	p.Retries -= s.tries
	if p.MaxTime > 0 {
		p.MaxTime = max(1, p.MaxTime-time.Since(s.began))
	}
	return p
}

// Next returns whether a try that failed with err is worth another one, and the pause before it.
func (s *Series) Next(err error) (wait time.Duration, again bool) {
	if s.tries >= s.policy.Retries || !s.policy.worth(err) {
		return 0, false
	}
	s.tries++
	if wait = s.back.NextBackOff(); s.policy.Delay != 0 {
		wait = max(0, s.policy.Delay)
	}
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

// Do calls try until it succeeds, fails permanently, or the policy or ctx ends it. It returns the last error. tried is the number of
// earlier calls.
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
		if !again || !fetch.Sleep(ctx, wait) {
			return err
		}
	}
}
