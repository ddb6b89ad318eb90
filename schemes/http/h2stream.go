package http

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
)

// far is the time of a TLS handshake from which a connection is shared by HTTP/2. A near server is faster with HTTP/1.1 on several
// connections.
const far = 10 * time.Millisecond

// large is the size of documents that arrive faster on connections of their own. If the first one of a server is as large, none is shared.
const large = 1 << 20

// maxRepeats is how often a request is repeated because its shared connection has ended.
const maxRepeats = 3

// A wait is the deadline of a request on a shared connection, whose own deadline is not used: there, each stream has its own.
type wait struct {
	late  func()
	timer *time.Timer  // calls late
	reads atomic.Int64 // of the connection before the wait
	began time.Time
	ctx   context.Context
	pace  fetch.Pace
}

// lease leases a connection, a shared one if possible.
func (x *exchange) lease() (s *session, done func(bool), err error) {
	state := x.version + x.proxy.addr
	x.joined, x.publish, x.wait = false, nil, nil
	if x.shares {
		if s, done, x.publish, err = fetch.Share(x.ctx, x.env, state, x.openShared); err != nil {
			return nil, nil, err
		}
		if done != nil {
			x.joined = s.isShared() && x.publish == nil && !s.alone
			return s, done, nil
		}
	}
	return fetch.Lease(x.ctx, x.env, state, x.open)
}

// share lets other requests use the connection, now that the server has responded.
func (x *exchange) share() {
	if x.publish == nil {
		return
	}
	if n, _ := contentLength(x.head.header["Content-Length"]); n > large {
		x.s.alone = true
	}
	x.publish()
	x.joined = !x.s.alone
}

// beginStream returns the context of a request on a shared connection, which ends when the server is silent for too long.
func (x *exchange) beginStream() context.Context {
	ctx, cancel := context.WithCancelCause(x.ctx)
	w := &wait{ctx: ctx}
	idle, guard, h2 := x.s.guard.idle, x.s.guard, x.s.h2
	w.late = func() {
		late := fetch.Errorf(fetch.ErrTimeout, "nothing arrived in %s", idle)
		if guard.reads.Load() == w.reads.Load() { // not on any stream
			guard.fail(late)
			h2.Close()
		}
		cancel(late)
	}
	x.wait = w
	return ctx
}

// startWait starts the timeout for the server. endWait ends it, after n bytes of the body have arrived.
func (x *exchange) startWait() {
	w, idle := x.wait, x.s.guard.idle
	if w == nil {
		x.s.guard.startWait()
		return
	}
	w.began = time.Now()
	w.reads.Store(x.s.guard.reads.Load())
	switch {
	case idle <= 0:
	case w.timer == nil:
		w.timer = time.AfterFunc(idle, w.late)
	default:
		w.timer.Reset(idle)
	}
}

func (x *exchange) endWait(n int) error {
	if x.wait == nil {
		x.s.guard.endWait()
		return nil
	}
	if x.wait.timer != nil {
		x.wait.timer.Stop()
	}
	return x.wait.pace.Add(time.Since(x.wait.began), n)
}

// causeOf returns the reason of an error of net/http if that does not contain it.
func (x *exchange) causeOf(err error) error {
	if fault := x.s.guard.fault.Load(); fault != nil {
		return fault
	}
	if x.wait == nil {
		return err
	}
	if cause := context.Cause(x.wait.ctx); fetch.KindOf(cause) == fetch.ErrTimeout {
		return cause
	}
	switch _, isReset := errors.AsType[streamError](err); {
	case isUnprocessed(err):
		return fetch.Errorf(fetch.ErrConnection, "the server has ended the shared connection: %w", err)
	case !isReset && strings.Contains(err.Error(), goneAway), strings.HasPrefix(err.Error(), forceClosed):
		return fetch.Errorf(fetch.ErrTruncated, "the server has closed the connection: %v", err)
	}
	return err
}

// forceClosed begins net/http's error for the streams of a connection to which it could not write.
const forceClosed = "http2: client connection force closed"

// isUnprocessed reports whether the server has certainly not processed the request: its stream is above that of GOAWAY, or it was not sent.
func isUnprocessed(err error) bool {
	switch err.Error() {
	case "http2: Transport received Server's graceful shutdown GOAWAY", "http2: client conn not usable", "http2: client conn is closed":
		return true
	}
	return false
}
