package fetch

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// Lease returns an open session of the request's scheme, server, TLS and login that is in the given state: one that an earlier
// request left, or a new one by open. It is the only pool. The connections dialled with open's context belong to the session; on a later
// lease they work for the new request, with its trace, deadlines and context.
//
// done must be called once. done(true) leaves the session to later requests and is right only when nothing of the conversation is
// open any more; done(false), the end of the context, and closing the Document without done close it.
//
// A session may have the method Alive() bool; otherwise a connection that has ended or holds unasked octets counts as dead.
func Lease[S io.Closer](ctx context.Context, e *Env, state string, open func(context.Context) (S, error)) (S, func(reuse bool), error) {
	key := e.leaseKey(state, reflect.TypeFor[S]())
	for s := e.kept(key); s != nil; s = e.kept(key) {
		if v, ok := s.value.(S); ok && s.alive() {
			return v, s.lend(e).done, nil
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
	return v, e.lease(s).done, nil
}

// kept takes an idle session from the pool. It returns nil if there is none, or if one has been silent in this request.
func (e *Env) kept(key leaseKey) *session {
	if e.distrusts.Load() {
		return nil
	}
	return e.client.pool.take(key)
}

// leaseKey is all that two requests must have in common to use one session. It is a struct since building a string of it took a
// fiftieth of the time of a small document.
type leaseKey struct {
	scheme, addr   string
	tls            TLSMode
	set            string // settings, all of them
	user, password string
	state          string
	kind           reflect.Type
}

func (e *Env) leaseKey(state string, kind reflect.Type) leaseKey {
	o := e.plan.Options
	k := leaseKey{scheme: e.scheme.Name(), addr: e.plan.Addr, tls: e.plan.TLS, user: o.Login.User, password: o.Login.Password, state: state, kind: kind}
	if len(o.Set) > 0 {
		k.set = fmt.Sprintf("%q", o.Set)
	}
	return k
}

// opening is the context key of the session that a Lease is opening.
type opening struct{}

// A session is one thing in the pool, or lent from it.
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

// A lease is the lending of a session to one request. It ends once, by done or with the request, and says nothing about the
// session after that: another request may have it by then.
type lease struct {
	s    *session
	env  *Env
	once sync.Once
}

// lend makes a pooled session work for e.
func (s *session) lend(e *Env) *lease {
	for _, c := range s.conns {
		c.reuse()
		c.bind(e)
	}
	return e.lease(s)
}

func (e *Env) lease(s *session) *lease {
	l := &lease{s: s, env: e}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leases = append(e.leases, l)
	return l
}

// done ends the lease and gives the session back, if it can be used again.
func (l *lease) done(reuse bool) {
	l.once.Do(func() {
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
	idle   map[leaseKey][]*session
	count  int
	most   int         // 0 not known yet
	timer  *time.Timer // for the session that is idle longest, nil while none is
	closed bool
}

const (
	maxIdlePerKey = 16
	maxIdle       = 128

	// A session has a descriptor or two, and a request that is under way up to five: sockets, a pipe, a file and its lock.
	descriptorShare = 8
)

func (p *pool) take(key leaseKey) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[key]
	if len(list) == 0 {
		return nil
	}
	s := list[len(list)-1] // the latest is the least likely to have been closed by its server
	p.remove(s)
	return s
}

func (p *pool) remove(s *session) bool {
	list := p.idle[s.key]
	i := slices.Index(list, s)
	if i < 0 {
		return false
	}
	p.idle[s.key] = slices.Delete(list, i, i+1)
	if len(list) == 1 && len(p.idle) > maxIdle { // a key that is in use stays: it is about to be put back
		delete(p.idle, s.key)
	}
	p.count--
	return true
}

func (p *pool) put(s *session) {
	p.mu.Lock()
	if p.most == 0 {
		p.most = maxIdle
		if n := socket.DescriptorLimit(); n > 0 {
			p.most = min(maxIdle, max(1, n/descriptorShare))
		}
	}
	if p.closed || p.count >= p.most || len(p.idle[s.key]) >= maxIdlePerKey {
		p.mu.Unlock()
		s.close()
		return
	}
	if p.idle == nil {
		p.idle = map[leaseKey][]*session{}
	}
	p.idle[s.key] = append(p.idle[s.key], s)
	p.count++
	s.since = time.Now()
	if p.timer == nil {
		p.timer = time.AfterFunc(poolIdle, p.expire)
	}
	p.mu.Unlock()
}

// evict closes the session that is idle longest. It reports whether there was one.
func (p *pool) evict() bool {
	p.mu.Lock()
	var oldest *session
	for _, list := range p.idle {
		for _, s := range list {
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

// expire closes the sessions whose time is up, and comes back for the next one. There is one timer for all: small documents put
// sessions back and take them thousands of times a second.
func (p *pool) expire() {
	p.mu.Lock()
	var old []*session
	next := time.Duration(0) // void: no session is left
	for _, list := range p.idle {
		for _, s := range list {
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
		all = append(all, list...)
	}
	for _, s := range all {
		p.remove(s)
	}
	p.mu.Unlock()
	for _, s := range all {
		s.close()
	}
}
