package fetch

import (
	"context"
	"sync"
	"time"

	"example.org/deref/uri"
)

// A watch closes the connections of requests when their context ends.
type watch struct {
	done <-chan struct{}
	mu   sync.Mutex
	envs map[*Env]bool
}

type watchKey struct{}

// WithWatch returns a context for many requests, such as those of a list, whose end is watched once for all of them. For any other context, each
// request does that, which takes three allocations. stop ends the watch, after the last request.
func WithWatch(ctx context.Context) (_ context.Context, stop func() bool) {
	w := &watch{done: ctx.Done(), envs: map[*Env]bool{}}
	return context.WithValue(ctx, watchKey{}, w), context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for e := range w.envs {
			e.interrupt()
		}
	})
}

// watch closes all connections of the request when the caller's context ends, until unwatch.
func (e *Env) watch() {
	ctx := e.callerCtx // not e.ctx, which e.end ends
	w, _ := ctx.Value(watchKey{}).(*watch)
	if w == nil || w.done != ctx.Done() { // ctx may end before that of the list
		e.stopWatch = context.AfterFunc(ctx, e.interrupt)
		return
	}
	e.watched = w
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.envs[e] = true; ctx.Err() != nil {
		e.interrupt()
	}
}

func (e *Env) unwatch() {
	if e.stopWatch != nil {
		e.stopWatch()
	}
	if w := e.watched; w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.envs, e)
	}
}

func (e *Env) interrupt() { e.abort(contextError(e.callerCtx)) }

// A requestContext ends with the caller's context, or with the request. Package context makes it when somebody waits for its end, as few requests
// do that use an open connection: two allocations less.
type requestContext struct {
	context.Context // the caller's

	mu     sync.Mutex      // guards the following fields
	own    context.Context // derived from the caller's; nil until somebody waits
	cancel context.CancelFunc
	over   bool
}

func (c *requestContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == nil {
		if c.own, c.cancel = context.WithCancel(c.Context); c.over {
			c.cancel()
		}
	}
	return c.own.Done()
}

func (c *requestContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.Context.Err(); err != nil || !c.over {
		return err
	}
	return context.Canceled
}

func (c *requestContext) Value(key any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own != nil { // package context looks for the one that Done has made
		return c.own.Value(key)
	}
	return c.Context.Value(key)
}

func (c *requestContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over = true; c.own != nil {
		c.cancel()
	}
}

// A Quota says how many more requests a server accepts until a time, by the RateLimit fields of its response. The zero Quota means that the
// response has no such fields.
type Quota struct {
	Remaining int64         // requests
	Reset     time.Duration // until there are more
}

// WithQuotas returns a context whose requests report the Quota of each response, also of those that redirect, with the URI that was requested. report
// is called concurrently.
func WithQuotas(ctx context.Context, report func(u uri.URI, q Quota)) context.Context {
	return context.WithValue(ctx, quotasKey{}, report)
}

type quotasKey struct{}

// ReportQuota is called for the response to u by a handler that has found a Quota in it. It does nothing if nobody waits for it, or there is none.
func ReportQuota(ctx context.Context, u uri.URI, q Quota) {
	if report, ok := ctx.Value(quotasKey{}).(func(uri.URI, Quota)); ok && q.Reset > 0 {
		report(u, q)
	}
}
