package fetch

import (
	"context"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// Lease returns an open session for the request's scheme, server, TLS and login in the given state: one that an earlier request has returned, or
// a new one from open. There is no other pool. The connections dialed with open's context belong to the session. On a later lease they work for
// the new request, with its trace, deadlines and context.
//
// Call done once. done(true) returns the session to the pool, and is right only if no response is outstanding. done(false), the end of the
// context, and closing the Document without done close the session.
//
// A session may have the method Alive() bool. Otherwise a connection that has ended or holds bytes that nobody requested counts as dead.
func Lease[S io.Closer](ctx context.Context, e *Env, state string, open func(context.Context) (S, error)) (S, func(reuse bool), error) {
	v, l, err := obtain(ctx, e, e.leaseKey(state, reflect.TypeFor[S]()), open)
	if err != nil {
		return v, nil, err
	}
	return v, l.done, nil
}

func obtain[S io.Closer](ctx context.Context, e *Env, key leaseKey, open func(context.Context) (S, error)) (S, *lease, error) {
	for s := e.pooled(key); s != nil; s = e.pooled(key) {
		if v, ok := s.value.(S); ok && s.alive() {
			return v, s.lend(e), nil
		}
		s.close()
	}
	s := &session{key: key}
	v, err := open(context.WithValue(ctx, opening{}, s))
	if err != nil {
		for _, c := range s.conns {
			c.Close()
		}
		return *new(S), nil, err
	}
	s.value = v
	return v, e.lease(s), nil
}

// pooled takes an idle session from the pool. It returns nil if there is none, or if one has been silent in this request.
func (e *Env) pooled(key leaseKey) *session {
	if e.distrusts.Load() {
		return nil
	}
	return e.client.pool.take(key)
}

// leaseKey holds the properties that two requests must have in common to share a session. It is a struct, since building a string of it
// takes time in every request (BenchmarkSmallDocuments of http).
type leaseKey struct {
	scheme, addr   string
	tls            TLSMode
	set            string // settings, all of them
	user, password string
	state          string
	kind           reflect.Type
	shared         bool // see Share
}

func (e *Env) leaseKey(state string, kind reflect.Type) leaseKey {
	o := e.plan.Options
	k := leaseKey{scheme: e.scheme.Name(), addr: e.plan.Addr, tls: e.plan.TLS, user: o.Login.User, password: o.Login.Password, state: state, kind: kind}
	var names [8]string // on the stack
	var text [256]byte
	keys, b := slices.AppendSeq(names[:0], maps.Keys(o.Set)), text[:0]
	slices.Sort(keys)
	for _, key := range keys {
		b = strconv.AppendQuote(append(b, ' '), key)
		for _, value := range o.Set[key] {
			b = strconv.AppendQuote(b, value)
		}
	}
	k.set = string(b)
	return k
}

// opening is the context key of the session that a Lease is opening.
type opening struct{}

// A session is a member of the pool, or leased from it.
type session struct {
	key   leaseKey
	value io.Closer
	conns []*Conn
	since time.Time // in the pool
}

func (s *session) alive() bool {
	if a, ok := s.value.(interface{ Alive() bool }); ok {
		return a.Alive()
	}
	for _, c := range s.conns {
		if c.isStale() {
			return false
		}
	}
	return true
}

// A lease lends a session to one request. It ends once, by done or with the request. After that another request may have the session.
type lease struct {
	s       *session
	env     *Env
	sharing *sharing // nil if only this request uses s
	once    sync.Once
}

// lend makes a pooled session work for e.
func (s *session) lend(e *Env) *lease {
	for _, c := range s.conns {
		c.reuse()
		c.bind(&e.self)
	}
	if len(s.conns) > 0 { // its first lines are those of an earlier conversation
		e.note(s.conns[0].id, "", "the connection of an earlier request is used again")
	}
	return e.lease(s)
}

func (e *Env) lease(s *session) *lease {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := &e.first.lease
	if l.env != nil {
		l = &lease{}
	}
	l.s, l.env = s, e
	e.leases = append(e.leases, l)
	return l
}

// done ends the lease and returns the session to the pool if it can be used again.
func (l *lease) done(reuse bool) {
	l.once.Do(func() {
		if l.sharing != nil {
			if l.leave(reuse) {
				l.s.close()
			}
			return
		}
		if !reuse || l.env.ctx.Err() != nil {
			l.s.close()
			return
		}
		for _, c := range l.s.conns {
			l.env.forget(c)
			c.bind(nil)
		}
		l.env.client.pool.put(l.s)
	})
}

func (s *session) close() {
	s.value.Close()
	for _, c := range s.conns {
		c.Close()
	}
}

// pool keeps idle sessions.
type pool struct {
	mu     sync.Mutex
	idle   map[leaseKey]*[]*session // pointers, so that taking a session and putting it back hash its key once each
	shared map[leaseKey]*sharing
	count  int
	most   int         // 0 until known
	timer  *time.Timer // for the session that has been idle longest; nil if there is none
	closed bool
}

const (
	maxIdlePerKey = 32 // as many requests as a gateway serves for one client by default
	maxIdle       = 128
)

func (p *pool) take(key leaseKey) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[key]
	if list == nil || len(*list) == 0 {
		return nil
	}
	s := (*list)[len(*list)-1] // the server is least likely to have closed the latest
	p.removeFrom(list, s)
	return s
}

// remove removes an idle session. It reports whether the session was there.
func (p *pool) remove(s *session) bool {
	list := p.idle[s.key]
	return list != nil && p.removeFrom(list, s)
}

func (p *pool) removeFrom(list *[]*session, s *session) bool {
	i := slices.Index(*list, s)
	if i < 0 {
		return false
	}
	*list = slices.Delete(*list, i, i+1)
	if len(*list) == 0 && len(p.idle) > maxIdle { // a key in use stays: its session is about to be put back
		delete(p.idle, s.key)
	}
	p.count--
	return true
}

func (p *pool) put(s *session) {
	p.mu.Lock()
	kept := p.add(s)
	p.mu.Unlock()
	if !kept {
		s.close()
	}
}

// add adds an idle session, and reports whether there is room for it. The caller holds p.mu.
func (p *pool) add(s *session) bool {
	if p.most == 0 {
		p.most = min(maxIdle, socket.Documents()/2) // documents have more descriptors than idle sessions
	}
	list := p.idle[s.key]
	if p.closed || p.count >= p.most || list != nil && len(*list) >= maxIdlePerKey {
		return false
	}
	if p.idle == nil {
		p.idle = map[leaseKey]*[]*session{}
	}
	if list == nil {
		list = new([]*session)
		p.idle[s.key] = list
	}
	*list = append(*list, s)
	p.count++
	s.since = time.Now()
	if p.timer == nil {
		p.timer = time.AfterFunc(poolIdle, p.expire)
	}
	return true
}

// evict closes the session that has been idle longest. It reports whether there was one.
func (p *pool) evict() bool {
	p.mu.Lock()
	var oldest *session
	for _, list := range p.idle {
		for _, s := range *list {
			if oldest == nil || s.since.Before(oldest.since) {
				oldest = s
			}
		}
	}
	if oldest != nil {
		p.remove(oldest)
	}
	p.mu.Unlock()
	if oldest != nil {
		oldest.close()
	}
	return oldest != nil
}

// expire closes the sessions that have expired, and sets the timer for the next one. There is one timer for all, since requests for small
// documents take sessions and put them back thousands of times a second.
func (p *pool) expire() {
	p.mu.Lock()
	var old []*session
	next := time.Duration(0) // 0: no session is left
	for _, list := range p.idle {
		for _, s := range *list {
			if rest := poolIdle - time.Since(s.since); rest <= 0 {
				old = append(old, s)
			} else if next == 0 || rest < next {
				next = rest
			}
		}
	}
	for _, s := range old {
		p.remove(s)
	}
	if p.timer = nil; next > 0 && !p.closed {
		p.timer = time.AfterFunc(next, p.expire)
	}
	p.mu.Unlock()
	for _, s := range old {
		s.close()
	}
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	var all []*session
	for _, list := range p.idle {
		all = append(all, *list...)
	}
	for _, s := range all {
		p.remove(s)
	}
	p.mu.Unlock()
	for _, s := range all {
		s.close()
	}
}
