package fetchtest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/deref/fetch"
)

// quiet is a short Timeouts.Idle; impatience is the time before a cancel, and a Timeouts.Idle in real time.
const (
	quiet      = 100 * time.Millisecond
	impatience = 30 * time.Millisecond
)

// checkStall: the client stops waiting for a silent server after Timeouts.Idle.
func checkStall(x *subject) error {
	return x.eachStall(func(n int) error {
		a := x.attempt()
		a.faults.StallAfter = n
		a.tune = func(c *fetch.Client) { c.Timeouts.Idle = quiet }
		r, err := a.run()
		switch {
		case err != nil:
			return err
		case x.fits(r, n):
			return nil
		case r.err == nil:
			return fmt.Errorf("got a document of %d bytes, want an error of kind timeout", len(r.body))
		case fetch.KindOf(r.err) == fetch.ErrConnect && r.play != nil: // it tried another connection, which the script does not have
		case fetch.KindOf(r.err) != fetch.ErrTimeout:
			return fmt.Errorf("the error has kind %q, want timeout: %w", fetch.KindOf(r.err), r.err)
		case r.elapsed > patience:
			return fmt.Errorf("the request takes %s, want at most %s: return the errors of Env's connections at once", r.elapsed, patience)
		}
		return nil
	})
}

// fits reports whether the result is right although the server was silent.
func (x *subject) fits(r *result, n int) bool {
	if x.Err != "" && errors.Is(r.err, x.Err) {
		return true
	}
	return r.err == nil && n >= x.script.Needed() && sameBody(x.base.body, r.body) == nil || x.isDeclared(r)
}

// checkCancel: a request whose context is canceled returns context.Canceled at once, wherever it waits.
func checkCancel(x *subject) error {
	return x.eachStall(func(n int) error {
		a := x.attempt()
		a.faults.StallAfter = n
		ctx, cancel := context.WithCancel(a.ctx)
		defer cancel()
		a.ctx = ctx
		timer := time.AfterFunc(impatience, cancel)
		defer timer.Stop()
		a.tune = func(c *fetch.Client) { c.Timeouts = fetch.Timeouts{Idle: watchdog, Connect: watchdog} }
		r, err := a.run()
		switch {
		case err != nil:
			return err
		case x.fits(r, n):
			return nil
		case !errors.Is(r.err, context.Canceled):
			return fmt.Errorf("got error %v, want context.Canceled", r.err)
		case r.elapsed > patience:
			return fmt.Errorf("the request takes %s after a cancel, want at most %s: return the errors of Env's connections at once", r.elapsed, patience)
		}
		return nil
	})
}

// eachStall has the server stop sending after each byte.
func (x *subject) eachStall(try func(n int) error) error {
	return x.eachPlace(func(n int) error {
		if err := try(n); err != nil {
			return fmt.Errorf("the server stops sending after %d of %d bytes: %w", n, x.script.Bytes(), err)
		}
		return nil
	})
}
