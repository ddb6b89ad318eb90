package fetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/internal/secrets"
	"example.org/deref/uri"
)

// An Env is lent by the Client to one Run: the only way to the network, and the voice of the trace. It is valid until the
// Document is closed, and safe for concurrent use.
type Env struct {
	client    *Client
	scheme    Scheme
	plan      *Plan
	ctx       context.Context
	cancel    context.CancelFunc
	told      func(Event) // Options.Trace
	trace     func(Event) // told and the Recorder's
	callers   atomic.Bool // a function that the caller gave has panicked
	recording Recording   // nil without a Recorder
	secrets   secrets.Set
	outer     context.Context // the caller's, which end does not cancel

	repeated  atomic.Bool // Client.Repeated was called
	distrusts atomic.Bool // a kept connection was silent

	mu     sync.Mutex
	conns  []*Conn                             // one or two
	others map[interface{ Close() error }]bool // sockets that are no Conn
	leases []*lease
	closed error
	over   bool // end was called
	opened int  // connections
}

func newEnv(ctx context.Context, c *Client, s Scheme, p *Plan) *Env {
	e := &Env{client: c, scheme: s, plan: p, outer: ctx}
	c.running.Add(1)
	e.told = e.traced(p.Options.Trace)
	e.trace = e.told
	e.ctx, e.cancel = context.WithCancel(ctx)
	e.learnSecrets()
	return e
}

// learnSecrets collects from the request all that no text may show.
func (e *Env) learnSecrets() {
	o := e.plan.Options
	e.secrets.AddLogin(o.Login.User, o.Login.name(), o.Login.Password)
	if e.scheme.Rules.SecretUser {
		e.secrets.Add(o.Login.User)
	}
	for i := range e.scheme.Settings {
		if set := &e.scheme.Settings[i]; set.Secret {
			for _, v := range o.Set[set.Key] {
				if !e.plan.hasLine(v) {
					e.secrets.Add(v)
				}
			}
		}
	}
	for i := range e.plan.Steps {
		if s := &e.plan.Steps[i]; s.Secret {
			for _, a := range s.Args {
				e.secrets.Add(a)
			}
			e.secrets.Add(s.Data)
			for _, a := range s.Tail {
				e.secrets.Add(a)
			}
		}
	}
}

// hasLine reports whether a secret step is said in just that line: then its arguments are what is secret, and the trace shows what kind of
// line it was (a field of a request that the user wrote by hand).
func (p *Plan) hasLine(line string) bool {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Secret && len(s.Args) > 0 && s.Data == "" && len(s.Tail) == 0 && line == s.Verb+" "+strings.Join(s.Args, " ") {
			return true
		}
	}
	return false
}

// Hide keeps a text that Run computed from a credential (a digest, an encoded password) out of the trace and of errors.
func (e *Env) Hide(secret string) { e.secrets.Add(secret) }

// HideField keeps the values that a field of the server's header gives (NAME: KEY=VALUE; ...) out of the trace, for one whose value is a
// credential from then on. It is called before the server answers.
func (e *Env) HideField(name string) { e.secrets.HideField(name) }

// planned reports whether the Plan has s as it stands: then what it says is no secret, even where a secret has the same words.
func (e *Env) planned(s *Step) bool {
	return slices.ContainsFunc(e.plan.Steps, func(p Step) bool { return p.Verb == s.Verb && p.Data == s.Data && slices.Equal(p.Args, s.Args) })
}

// Limits returns the Client's, with the defaults filled in: for the bounds that only a handler can keep.
func (e *Env) Limits() Limits { return e.client.limits }

// Timeouts returns the Client's, with the defaults filled in: for waiting that no connection of Env bounds (datagrams, programs).
func (e *Env) Timeouts() Timeouts { return e.client.timeouts }

// Base dereferences Options.Base under the same policy: the only other document that a handler may ask for. The caller closes
// it.
func (e *Env) Base(ctx context.Context) (*Document, error) {
	o := e.plan.Options
	if o.Base.IsZero() {
		return nil, Errorf(ErrRefusedURL, "%s is only known within a document, and none was named as base", e.plan.URI.Scheme())
	}
	if o.Base.Scheme() == e.plan.URI.Scheme() {
		return nil, Errorf(ErrRefusedURL, "the base is itself relative to a base")
	}
	return e.client.Get(ctx, o.Base, &Options{Mode: o.Mode, Set: o.Set, Trace: e.told})
}

// Login is the user's identity for a server besides the Plan's own that the user's configuration names (a mail source, a submission
// server): what u says itself, or else what its scheme's configuration and the Client's Logins know. It is for u's scheme, host and
// port and for nothing else. No trace or error shows the password.
func (e *Env) Login(ctx context.Context, u uri.URI) (Login, error) {
	s, _ := e.client.Schemes.Lookup(u.Scheme())
	var l Login
	var err error
	e.outside(func() { l, err = e.client.loginOf(ctx, s, u, Login{}) })
	e.secrets.AddLogin(l.User, l.name(), l.Password)
	return l, err
}

func (e *Env) isTraced() bool { return e.trace != nil }

func (e *Env) distrust() { e.distrusts.Store(true) }

// lend lends c to the request.
func (e *Env) lend(c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.conns, c) {
		e.conns = append(e.conns, c)
	}
	if e.closed != nil {
		c.abort(e.closed) // the request ended while this was being dialled
	}
}

func (e *Env) forget(c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.conns, c); i >= 0 {
		e.conns = slices.Delete(e.conns, i, i+1)
	}
}

// own lends a socket that is no Conn to the request.
func (e *Env) own(s interface{ Close() error }) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.others == nil {
		e.others = map[interface{ Close() error }]bool{}
	}
	e.others[s] = true
	if e.closed != nil {
		s.Close()
	}
}

// watch makes the end of the request's context end all its connections. It returns the function that stops watching.
func (e *Env) watch() (stop func() bool) {
	return context.AfterFunc(e.outer, func() { e.abort(contextError(e.outer)) }) // not e.ctx, whose end is ours
}

func (e *Env) abort(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = err
	for _, c := range e.conns {
		c.abort(err)
	}
	for s := range e.others {
		s.Close()
	}
}

// end closes all that the request still holds.
func (e *Env) end() {
	e.cancel()
	e.mu.Lock()
	if !e.over {
		e.over = true
		e.client.running.Add(-1)
	}
	leases, conns, others := e.leases, slices.Clone(e.conns), e.others // closing takes them out of e.conns
	e.leases, e.others = nil, nil
	if e.closed == nil {
		e.closed = errEnded
	}
	e.mu.Unlock()
	for _, l := range leases {
		l.done(false)
	}
	for _, c := range conns {
		c.Close()
	}
	for s := range others {
		s.Close()
	}
}

var errEnded = &Error{Kind: ErrLocal, Text: "the document is closed"}

func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// contextError returns the error of connections whose request has ended: context.Canceled, with the caller's own cause if there is one.
func contextError(ctx context.Context) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Errorf(ErrTimeout, "the request took too long: %w", ctx.Err())
	case cause == nil, errors.Is(cause, context.Canceled):
		return context.Canceled
	}
	return fmt.Errorf("%w: %w", context.Canceled, cause)
}
