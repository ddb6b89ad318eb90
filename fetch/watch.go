package fetch

import (
	"cmp"
	"context"
	"maps"
	"sync"
)

// A watch closes the connections of requests when their context ends.
type watch struct {
	ctx  context.Context
	mu   sync.Mutex
	envs map[*Env]bool
}

type watchKey struct{}

// WithWatch returns a context for many requests, such as those of a list, whose end is watched once for all of them. For any other context, each
// request does that, which takes three allocations (BenchmarkSmallDocuments). stop ends the watch, after the last request.
func WithWatch(ctx context.Context) (_ context.Context, stop func() bool) {
	w := &watch{ctx: ctx, envs: map[*Env]bool{}}
	return context.WithValue(ctx, watchKey{}, w), context.AfterFunc(ctx, func() {
		w.mu.Lock()
		all := maps.Clone(w.envs)
		w.mu.Unlock()
		for e := range all {
			e.interrupt()
		}
	})
}

// watch closes all connections of the request when the caller's context ends, until unwatch.
func (e *Env) watch() {
	ctx := e.callerCtx // not e.ctx, which e.end cancels
	w, _ := ctx.Value(watchKey{}).(*watch)
	if w == nil || w.ctx.Done() != ctx.Done() { // ctx may end before that of the list
		e.stopWatch = context.AfterFunc(ctx, e.interrupt)
		return
	}
	e.watched = w
	w.mu.Lock()
	w.envs[e] = true
	w.mu.Unlock()
	if ctx.Err() != nil {
		e.interrupt()
	}
}

func (e *Env) unwatch() {
	if e.stopWatch != nil {
		e.stopWatch()
	}
	if w := e.watched; w != nil {
		w.mu.Lock()
		delete(w.envs, e)
		w.mu.Unlock()
	}
}

func (e *Env) interrupt() { e.abort(contextError(e.callerCtx)) }

// A requestContext ends with the caller's context, or by cancel. It becomes one of package context when somebody waits for its end, which few
// requests do that use an open connection (BenchmarkSmallDocuments: two allocations less).
type requestContext struct {
	context.Context // the caller's

	mu   sync.Mutex
	err  error
	own  context.Context // nil until somebody waits
	stop context.CancelFunc
}

// Done makes the context on which derived ones depend.
func (c *requestContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == nil {
		if c.own, c.stop = context.WithCancel(c.Context); c.err != nil {
			c.stop()
		}
	}
	return c.own.Done()
}

func (c *requestContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	return c.Context.Err()
}

// Value lets package context find the context that Done has made.
func (c *requestContext) Value(key any) any {
	c.mu.Lock()
	own := c.own
	c.mu.Unlock()
	if own != nil {
		return own.Value(key)
	}
	return c.Context.Value(key)
}

func (c *requestContext) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = cmp.Or(c.Context.Err(), context.Canceled)
	}
	if c.stop != nil {
		c.stop()
	}
}
