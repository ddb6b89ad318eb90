package fetch

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch/hint"
	"example.org/deref/uri"
)

// verbGet is the verb of steps that are requests of their own.
const verbGet = "get"

// GetStep returns the step for a request that Run makes by Env.Get, with u as its argument and without u's password. While planning, the
// Client plans u, too: Plan.Nested has the result, and a u that must not be requested fails the whole Plan before anything is contacted. A
// step whose URI is known only from a reply is written without GetStep, as Step{Verb: "get", Args: []string{"<name>"}}.
func GetStep(u uri.URI) Step {
	return Step{Verb: verbGet, Args: []string{u.Redacted(nil)}, Get: u}
}

// Get dereferences u within this request, for a scheme that transforms, selects or combines the objects of others. It follows referrals and
// returns what Client.Get returns. The caller closes the Document's Body; what is still open when the outer Document is closed is closed
// with it.
//
// The nested request is one of the outer request's Client, with its Policy, Limits, Timeouts and schemes. It ends with ctx and with the
// outer request, whichever is first: Timeouts.Total is not begun again. Its events are in the outer request's trace, with a larger
// Event.Depth, and its referrals count against the same Policy.MaxReferrals.
//
// o may be nil, for the outer request's Mode and Set. Trace, Foreign and what is bound to a server are not taken from o: credentials, and
// settings with Bound or Secret, are used only if u has the same scheme, host and port as the outer URI. So the identity of another server
// is found as for any request: in u, in the scheme's configuration, or by Client.Logins.
//
// u is checked as a referral from the handler's scheme: Scheme.MayReferTo names the schemes that the handler may request, and a scheme that
// is Local or OpensLocal can be requested only by a handler that is so itself, or if Policy.FollowTo names it. If the check fails, if the
// request is already being made (a loop), or if there are too many, the error is ErrRedirect and nothing is contacted. Limits.Nesting bounds
// requests within requests, and Limits.Requests all that are made within one request of the caller.
//
// Get announces its step: the one of the Plan that GetStep has made from u, or else the first that has the verb get and no URI of its own.
func (e *Env) Get(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	if o == nil {
		out := e.plan.Options
		o = &Options{Mode: out.Mode, Set: out.Set, Login: out.Login}
	}
	if o.Op != Retrieve && o.Op != Metadata {
		return nil, Errorf(ErrUnsupported, "a handler can retrieve other objects and their metadata only")
	}
	e.learnNested(u)
	if err := e.client.checkNested(e.scheme, u); err != nil {
		return nil, e.finishError(err)
	}
	if err := e.Announce(e.getStep(u)); err != nil {
		return nil, err
	}
	return e.nested(ctx, u, e.nestedOptions(u, o))
}

// nested makes a request within this one.
func (e *Env) nested(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	c := e.client
	if most := c.limits.Nesting; most >= 0 && e.last.depth() > most {
		return nil, Errorf(ErrRedirect, "more than %d requests, one within another", most)
	}
	if err := c.countRequest(e.requests); err != nil {
		return nil, err
	}
	o.Strict = e.nestedStrict()
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(&e.ctx, cancel)
	release := func() { stop(); cancel() }
	w := &walk{client: c, part: o.Part, parent: e, last: e.last, hops: e.hops, requests: e.requests}
	d, err := w.document(ctx, u, o)
	if err != nil && e.callerCtx.Err() != nil && KindOf(err) != ErrTimeout { // the end of the outer request, not of this one
		err = contextError(e.callerCtx)
	}
	if d == nil {
		release()
		return nil, err
	}
	d.Body = &ending{d.Body, func() { release(); e.forgetNested() }}
	e.mu.Lock()
	e.opened += d.Connections
	e.mu.Unlock()
	return d, err
}

// nestedOptions returns the options of a request for u within this one.
func (e *Env) nestedOptions(u uri.URI, o *Options) *Options {
	out := e.plan.Options
	given := o.Clone()
	for _, key := range out.serverSettings { // the outer server's, even if the handler has copied them
		if slices.Equal(given.Set[key], out.Set[key]) {
			delete(given.Set, key)
		}
	}
	n := e.client.Schemes.ReferralOptions(given, e.plan.URI, u)
	n.Foreign = n.Foreign || out.Foreign
	n.within = out.within || e.plan.isEncrypted()
	n.Trace = e.nestedTrace()
	return n
}

// nestedTrace returns the trace of nested requests. It returns nil if the request is not traced.
func (e *Env) nestedTrace() func(Event) {
	if e.callerTrace == nil {
		return nil
	}
	return func(ev Event) {
		ev.Depth++
		e.callerTrace(ev)
	}
}

// learnNested adds the password of a nested URI to the secrets of the request.
func (e *Env) learnNested(u uri.URI) {
	user, password, _ := u.User()
	e.secrets.AddLogin(user, Login{User: user}.name(), password)
}

// getStep returns the step to announce for u.
func (e *Env) getStep(u uri.URI) Step {
	made := GetStep(u)
	for _, s := range e.plan.Steps {
		if s.Verb == verbGet && s.Get.String() == u.String() {
			return s
		}
	}
	for _, s := range e.plan.Steps {
		if s.Verb == verbGet && s.Get.IsZero() {
			made.If = s.If
			break
		}
	}
	return made
}

// checkNested returns an error if a handler of the scheme from must not request u.
func (c *Client) checkNested(from *Scheme, u uri.URI) error {
	to, err := c.schemeOf(u)
	if err != nil {
		return err
	}
	if c.Policy.followsTo(u.Scheme()) {
		return to.checkUserOnly(u)
	}
	if to.Local && !from.Local || to.OpensLocal && !from.OpensLocal {
		return notFollowed(from, c.Schemes.Redact(u), byDefault, hint.FollowTo+" "+u.Scheme())
	}
	return c.Policy.checkReferral(from, Referral{URI: u}, c.Schemes)
}

// nestPlans makes the Plans of the requests that the steps of p name. Those that may not be necessary need not have one.
func (c *Client) nestPlans(ctx context.Context, p *Plan, s *Scheme, depth int) error {
	for i := range p.Steps {
		st := &p.Steps[i]
		if st.Get.IsZero() {
			continue
		}
		n, err := c.nestedPlan(ctx, p, s, st.Get, depth)
		if err != nil && st.If == "" {
			return err
		}
		p.Nested = append(p.Nested, n)
	}
	return nil
}

// nestedPlan makes the Plan of one.
func (c *Client) nestedPlan(ctx context.Context, p *Plan, s *Scheme, u uri.URI, depth int) (*Plan, error) {
	if most := c.limits.Nesting; most >= 0 && depth > most {
		return nil, Errorf(ErrRedirect, "more than %d requests, one within another", most)
	}
	if err := c.checkNested(s, u); err != nil {
		return nil, err
	}
	if _, password, has := u.User(); has && strings.Contains(p.URI.String(), ":"+password+"@") {
		return nil, Errorf(ErrRefusedURL, "a URI within another cannot have a password, which would be shown")
	}
	e := &Env{client: c, plan: p}
	o := e.nestedOptions(u, &Options{Mode: p.Options.Mode, Set: p.Options.Set, Login: p.Options.Login})
	n, _, err := c.makePlan(ctx, u, o, depth+1)
	return n, err
}

// NestedOf returns the Plan of the step's request. It returns nil if the step is not a request, or has no Plan.
func (p *Plan) NestedOf(s Step) *Plan {
	if s.Get.IsZero() {
		return nil
	}
	at := 0
	for i := range p.Steps {
		switch {
		case p.Steps[i].Get.IsZero():
		case at >= len(p.Nested):
			return nil
		case p.Steps[i].Get == s.Get:
			return p.Nested[at]
		default:
			at++
		}
	}
	return nil
}

// adopt makes the request one of w: it ends with the request within which it is made.
func (e *Env) adopt(w *walk) {
	e.requests = &e.first.requests
	if w == nil {
		return
	}
	if w.requests == nil {
		w.requests = e.requests
	}
	e.last, e.hops, e.requests = w.last, w.hops, w.requests
	if w.parent == nil {
		return
	}
	w.parent.mu.Lock()
	w.parent.within = append(w.parent.within, e)
	over := w.parent.over
	w.parent.mu.Unlock()
	if over {
		e.end()
	}
}

// forgetNested removes the nested requests that have ended.
func (e *Env) forgetNested() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.within = slices.DeleteFunc(e.within, func(n *Env) bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.over
	})
}
