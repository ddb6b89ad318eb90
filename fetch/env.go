package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/internal/secrets"
)

// An Env gives one Run its only access to the network and to the trace. It is valid until the Document is closed, and safe for concurrent
// use.
type Env struct {
	client         *Client
	scheme         *Scheme
	plan           *Plan
	ctx            requestContext
	callerTrace    func(Event) // Options.Trace
	trace          func(Event) // callerTrace and the Recorder's
	callerPanicked atomic.Bool // a function of the caller has panicked
	recording      Recording   // nil without a Recorder
	witness        Witness     // recording, if it is one
	secrets        secrets.Set
	callerCtx      context.Context // the caller's, which e.end does not cancel
	watched        *watch          // that of callerCtx, if it has one
	stopWatch      func() bool     // or else, stops that of the request

	deviations deviations

	repeated  atomic.Bool // Client.Repeated was called
	distrusts atomic.Bool // a reused connection was silent

	last     *Plan // of the walk, when the request began
	hops     int
	requests *atomic.Int64 // that handlers have made within that of the caller

	reading atomic.Pointer[Conn] // the Conn that was read last
	mu      sync.Mutex
	conns   []*Conn                             // one or two
	others  map[interface{ Close() error }]bool // sockets other than Conns
	leases  []*lease
	within  []*Env // nested requests
	closed  error
	over    bool // end was called
	opened  int  // connections

	began         time.Time // of the walk
	times         Times
	local, remote netip.AddrPort

	waiting   Phase  // what the request waits for, if not for a Conn
	announced string // the verb of the last step

	self  connRequest // the Env, as its Conns know it
	first parts
}

// parts are what nearly every request has one of. They are in the Env, so that they need no memory of their own (BenchmarkSmallDocuments).
type parts struct {
	lease  lease
	body   body
	conns  [1]*Conn
	leases [1]*lease

	requests atomic.Int64 // of the caller's request
}

func newEnv(ctx context.Context, c *Client, s *Scheme, p *Plan) *Env {
	e := &Env{client: c, scheme: s, plan: p, callerCtx: ctx}
	e.self, e.conns, e.leases = e, e.first.conns[:0], e.first.leases[:0]
	c.running.Add(1)
	e.callerTrace = e.traced(p.Options.Trace)
	e.trace = e.callerTrace
	e.watchLines()
	e.ctx.Context = ctx
	e.learnSecrets()
	return e
}

// learnSecrets collects from the request everything that no text may contain.
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
				if !strings.Contains(o.Login.User, a) { // the user's name, or the mechanism after it, as other protocols send them openly
					e.secrets.Add(a)
				}
			}
			e.secrets.Add(s.Data)
			for _, a := range s.Tail {
				e.secrets.Add(a)
			}
		}
	}
}

// hasLine reports whether a secret step is sent as exactly that line. Then only its arguments are secret, and the trace shows the kind of line (a
// header field that the user wrote).
func (p *Plan) hasLine(line string) bool {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Secret && len(s.Args) > 0 && s.Data == "" && len(s.Tail) == 0 && line == s.Verb+" "+strings.Join(s.Args, " ") {
			return true
		}
	}
	return false
}

// Hide adds a secret that Run has computed from a credential (a digest, an encoded password). It is masked in the trace and in errors.
func (e *Env) Hide(secret string) { e.secrets.Add(secret) }

// HideField masks the values of a header field of the server (NAME: KEY=VALUE; ...) in the trace, because they are credentials for later
// requests. Call it before the server responds.
func (e *Env) HideField(name string) { e.secrets.HideField(name) }

// planned reports whether the Plan contains exactly s. Then its words are not secret, even if a secret is the same word.
func (e *Env) planned(s *Step) bool {
	return slices.ContainsFunc(e.plan.Steps, func(p Step) bool { return p.Verb == s.Verb && p.Data == s.Data && slices.Equal(p.Args, s.Args) })
}

// Limits returns the Client's limits, with defaults, for those that only a handler can apply.
func (e *Env) Limits() Limits { return e.client.limits }

// Timeouts returns the Client's timeouts, with defaults, for waits that no Conn bounds (datagrams, programs).
func (e *Env) Timeouts() Timeouts { return e.client.timeouts }

// Base dereferences Options.Base, which the user has named, within this request: see Get, whose check of the URI it does not need. The caller
// closes the Document.
func (e *Env) Base(ctx context.Context) (*Document, error) {
	o := e.plan.Options
	if o.Base.IsZero() {
		return nil, Errorf(ErrRefusedURL, "%s exists only within a document, and there is no base", e.plan.URI.Scheme())
	}
	if o.Base.Scheme() == e.plan.URI.Scheme() {
		return nil, Errorf(ErrRefusedURL, "the base is itself relative to a base")
	}
	e.learnNested(o.Base)
	return e.nested(ctx, o.Base, (&Options{Mode: o.Mode, Set: o.Set, Trace: e.nestedTrace()}).Clone())
}

func (e *Env) isTraced() bool { return e.trace != nil }

func (e *Env) distrust() { e.distrusts.Store(true) }

// lend makes c belong to the request.
func (e *Env) lend(c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.conns, c) {
		e.conns = append(e.conns, c)
	}
	if e.closed != nil {
		c.abort(e.closed) // the request ended while c was being dialed
	}
}

func (e *Env) forget(c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.conns, c); i >= 0 {
		e.conns = slices.Delete(e.conns, i, i+1)
	}
}

// own makes a socket other than a Conn belong to the request.
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

// end closes everything that still belongs to the request.
func (e *Env) end() {
	e.unwatch()
	e.ctx.end()
	e.mu.Lock()
	first := !e.over
	e.over = true
	leases, conns, others, within := e.leases, slices.Clone(e.conns), e.others, e.within // closing removes them from e.conns
	e.leases, e.others, e.within = nil, nil, nil
	if e.closed == nil {
		e.closed = errEnded
	}
	e.mu.Unlock()
	for _, n := range within {
		n.end()
	}
	for _, l := range leases {
		l.done(false)
	}
	for _, c := range conns {
		c.Close()
	}
	for s := range others {
		s.Close()
	}
	if first {
		e.client.running.Add(-1) // after its descriptors are free: see withDescriptor
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
