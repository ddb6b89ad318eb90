package fetch

import (
	"context"
	"io"
	"maps"
	"reflect"
)

// A Sharer is one of several requests that may use a connection at the same time: see WithSharer.
type Sharer interface {
	// Join is called when the request has joined a connection that another one has opened.
	Join()
	// MayOpen is called before the request opens a connection of its own. If it returns false, because a request that has joined is not counted
	// as one that opens connections, the request fails with ErrConnection.
	MayOpen() bool
}

// WithSharer returns a context whose request may share a connection to its server with others, by schemes that can (https, with HTTP/2). A
// request that is traced or recorded never does, since its conversation would be mixed with theirs.
func WithSharer(ctx context.Context, s Sharer) context.Context {
	return context.WithValue(ctx, sharerKey{}, s)
}

type sharerKey struct{}

// SharerOf returns the Sharer of a context, or nil if it has none.
func SharerOf(ctx context.Context) Sharer {
	s, _ := ctx.Value(sharerKey{}).(Sharer)
	return s
}

const (
	maxStreams  = 128  // requests on one session. Servers should allow at least 100 (RFC 9113 section 6.5.2); nginx allows 128
	maxSharings = 1000 // decisions that are remembered
)

// A sharing is a session that several requests use at a time, or the decision that there is none.
type sharing struct {
	decided chan struct{} // closed when s, again and room are final
	s       *session      // nil if none is shared
	again   bool          // because an idle one had ended: another may be
	room    chan struct{} // holds a token of each request that uses s

	users   int  // guarded by the pool's mu, as is retired
	retired bool // no request may join
}

// A shareable session can serve several requests at a time: as many as Streams returns, but at most 128. 0 means that it is like any other
// session.
type shareable interface {
	io.Closer
	Streams() int
}

// Share is Lease for a shareable session. The first request opens it, and calls publish when a response shows that the session works. Meanwhile
// other requests wait. They then join; their publish is nil. done(false) means that no request may join any more; the last one that calls
// done closes the session.
//
// done is nil if the request must use Lease, because it may not share a session, or none can be shared.
func Share[S shareable](ctx context.Context, e *Env, state string, open func(context.Context) (S, error)) (v S, done func(reuse bool), publish func(), err error) {
	by := SharerOf(ctx)
	if by == nil || e.isTraced() || e.Recorded() {
		return v, nil, nil, nil
	}
	p, key := &e.client.pool, e.leaseKey(state, reflect.TypeFor[S]())
	for {
		sh, first := p.sharing(key)
		if first {
			return begin(ctx, e, key, sh, by, open)
		}
		select {
		case <-sh.decided:
		case <-ctx.Done():
			return v, nil, nil, ctx.Err()
		}
		if sh.again {
			continue
		}
		if sh.s == nil {
			return v, nil, nil, nil
		}
		select {
		case sh.room <- struct{}{}:
		case <-ctx.Done():
			return v, nil, nil, ctx.Err()
		}
		if p.join(key, sh) {
			by.Join()
			l := e.lease(sh.s)
			l.sharing = sh
			return sh.s.value.(S), l.done, nil, nil
		}
		<-sh.room
	}
}

// begin opens the session, which is shared if it can be.
func begin[S shareable](ctx context.Context, e *Env, key leaseKey, sh *sharing, by Sharer, open func(context.Context) (S, error)) (v S, done func(reuse bool), publish func(), err error) {
	p, ordinary := &e.client.pool, key
	key.shared = true
	opened := false
	defer func() {
		if !opened { // also if open panics
			p.decide(ordinary, sh, false)
		}
	}()
	v, l, err := obtain(ctx, e, key, open)
	if opened = err == nil; !opened {
		return v, nil, nil, err
	}
	if v.Streams() > 0 {
		l.sharing = sh
		return v, l.done, func() { l.publish(v) }, nil
	}
	l.s.key = ordinary
	p.decide(ordinary, sh, true)
	if !by.MayOpen() {
		l.done(true)
		return v, nil, nil, errNotShared
	}
	return v, l.done, nil, nil
}

// mayDial reports whether a request may open a connection with ctx: see Sharer. One to be shared it may.
func mayDial(ctx context.Context) bool {
	by := SharerOf(ctx)
	if by == nil {
		return true
	}
	s, ok := ctx.Value(opening{}).(*session)
	return ok && s.key.shared || by.MayOpen()
}

var errNotShared = &Error{Kind: ErrConnection, Text: "the shared connection has ended, and the server does not offer another"}

// sharing returns the sharing of a key. first is set for the request that must open the session.
func (p *pool) sharing(key leaseKey) (sh *sharing, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sh := p.shared[key]; sh != nil {
		return sh, false
	}
	if len(p.shared) >= maxSharings {
		maps.DeleteFunc(p.shared, func(_ leaseKey, sh *sharing) bool { return sh.retired || sh.s != nil && sh.users == 0 })
	}
	if p.shared == nil {
		p.shared = map[leaseKey]*sharing{}
	}
	sh = &sharing{decided: make(chan struct{})}
	p.shared[key] = sh
	return sh, true
}

// decide ends the wait of requests for a session that cannot be shared. It is remembered if the reason is the server.
func (p *pool) decide(key leaseKey, sh *sharing, remember bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sh.retired = true; !remember {
		delete(p.shared, key)
	}
	close(sh.decided)
}

// publish lets other requests use the session, unless v can no longer be shared. Its connections then do not belong to the request that
// opened them.
func (l *lease) publish(v shareable) {
	p, sh, n := &l.env.client.pool, l.sharing, min(v.Streams(), maxStreams)
	if n == 0 {
		l.sharing, l.s.key.shared = nil, false
		p.decide(l.s.key, sh, true)
		return
	}
	for _, c := range l.s.conns {
		l.env.forget(c)
		c.bind(nil)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sh.s, sh.users, sh.room = l.s, 1, make(chan struct{}, n)
	sh.room <- struct{}{}
	close(sh.decided)
}

// join adds a request to those that use the session. It reports whether the session can be used.
func (p *pool) join(key leaseKey, sh *sharing) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sh.users == 0 && !sh.retired { // it is in the pool, unless it has expired
		switch {
		case !p.remove(sh.s):
			p.retire(key, sh)
		case !sh.s.alive():
			p.retire(key, sh)
			sh.s.close()
		default:
			for _, c := range sh.s.conns {
				c.reuse()
			}
		}
	}
	if !sh.retired {
		sh.users++
	}
	return !sh.retired
}

// leave ends the use of a shared session by one request. It reports whether the session must be closed.
func (l *lease) leave(reuse bool) bool {
	p, sh, key := &l.env.client.pool, l.sharing, l.s.key
	key.shared = false
	if sh.s == nil { // the first request got no response
		sh.again = !l.s.since.IsZero()
		p.decide(key, sh, false)
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sh.users--
	<-sh.room
	if !reuse || sh.users == 0 && (sh.retired || !p.add(l.s)) {
		p.retire(key, sh)
	}
	return sh.retired && sh.users == 0
}

// retire keeps further requests from joining.
func (p *pool) retire(key leaseKey, sh *sharing) {
	if sh.retired = true; p.shared[key] == sh {
		delete(p.shared, key)
	}
}
