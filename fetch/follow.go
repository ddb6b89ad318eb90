package fetch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/hint"
	"example.org/deref/uri"
)

// A walk is one request with all its referrals.
type walk struct {
	client *Client
	seen   map[string]bool // the requests that a referral led to or from, by their keys
	via    []Referral
	part   bool // Options.Part of the caller

	parent   *Env // of the request within which this one is made (Env.Get), or nil
	began    time.Time
	requests *atomic.Int64 // made so far within the caller's request
	last     *Plan         // of the latest request; its from is the request before it
	hops     int           // how many of these are referrals
}

// walk dereferences u and follows referrals. Nothing is followed anywhere else.
func (c *Client) walk(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	w := &walk{client: c, part: o.Part, began: time.Now()}
	return w.document(ctx, u, o)
}

// document returns the document at the end of the referrals from u.
func (w *walk) document(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	p, s, err := w.client.makePlan(ctx, u, o, outermost)
	if err != nil {
		return nil, err
	}
	p.begin()
	if w.isInChain(p) {
		return nil, Errorf(ErrRedirect, "the requests form a loop, back to %s", w.client.Schemes.Redact(u))
	}
	d, err := w.request(ctx, p, s)
	if d != nil {
		d.Via = w.via
		fragmentFrom(d, u)
	}
	return d, err
}

// fragmentFrom sets the fragment of d. That of a referral replaces the requested one (RFC 9110 section 10.2.2).
func fragmentFrom(d *Document, asked uri.URI) {
	if d.part {
		return
	}
	if f, ok := asked.Fragment(); ok {
		d.Fragment = string(f)
	}
	for _, r := range d.Via {
		if f, ok := r.URI.Fragment(); ok {
			d.Fragment = string(f)
		}
	}
}

// request makes the request of first and follows its referrals.
func (w *walk) request(ctx context.Context, first *Plan, s *Scheme) (*Document, error) {
	first.from, w.last = w.last, first
	defer func() { w.last = first.from }()
	p, d, err := w.withLogin(ctx, first, s)
	if err != nil {
		return nil, err
	}
	if len(d.Referrals) == 0 || !w.client.mayFollow(first.Options) {
		return d, nil
	}
	w.remember(first)
	return w.follow(ctx, d, p, s)
}

// mayFollow reports whether referrals are followed in a request with o.
func (c *Client) mayFollow(o *Options) bool {
	return !c.Policy.NoFollow && !o.NoFollow && (o.Op == Retrieve || o.Op == Metadata)
}

// follow tries the referrals of d in the server's order of preference, until one yields a document.
func (w *walk) follow(ctx context.Context, d *Document, p *Plan, s *Scheme) (*Document, error) {
	if w.hops >= w.client.Policy.maxReferrals() {
		return d, &Error{Kind: ErrRedirect, Text: fmt.Sprintf("more than %d referrals", w.client.Policy.maxReferrals()), Hint: hint.MaxReferrals}
	}
	var first error
	for _, r := range d.Referrals {
		next, err := w.followOne(ctx, d, p, s, r)
		if next != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			d.Body.Close()
			return next, err
		}
		if KindOf(err) == ErrTLS { // otherwise an attacker on the way could choose the candidate, perhaps one in clear
			d.Body.Close()
			return nil, err
		}
		if first == nil {
			first = err
		}
	}
	if b, ok := d.Body.(*body); KindOf(first) == ErrRedirect && ok && b.err != errClosed { // no other referral was followed in vain
		return d, first
	}
	d.Body.Close()
	return nil, notGone(first)
}

// CheckReferral returns an error if Get would not follow r from a Document of u. It is for programs that follow referrals themselves.
func (c *Client) CheckReferral(u uri.URI, r Referral) error {
	s, err := c.schemeOf(u)
	if err != nil {
		return err
	}
	return c.Policy.checkReferral(s, r, c.Schemes)
}

// CheckLink returns an error if a link in a Document of u must not be followed although the user has chosen it. The link may refer to any server.
// But it was written by u's server, so it must not open files or run programs of this machine, unless u does so itself.
func (c *Client) CheckLink(u, link uri.URI) error {
	from, err := c.schemeOf(u)
	if err != nil {
		return err
	}
	to, known := c.Schemes.Lookup(link.Scheme())
	if err := to.checkUserOnly(link); err != nil {
		return err
	}
	if !known || !to.OpensLocal || from.OpensLocal {
		return nil
	}
	return c.Policy.checkReferral(from, Referral{URI: link}, c.Schemes)
}

// countRequest counts a request that is made within one of the caller. It returns an error if there are too many.
func (c *Client) countRequest(so *atomic.Int64) error {
	if n := so.Add(1); c.limits.Requests >= 0 && n > int64(c.limits.Requests) {
		return Errorf(ErrRedirect, "more than %d requests within one", c.limits.Requests)
	}
	return nil
}

// followOne follows one referral. The settings of the request apply to it; those that are bound to a server only if the server is the same.
func (w *walk) followOne(ctx context.Context, d *Document, p *Plan, s *Scheme, r Referral) (*Document, error) {
	c := w.client
	if err := c.Policy.checkReferral(s, r, c.Schemes); err != nil {
		return nil, err
	}
	o := c.Schemes.ReferralOptions(p.Options, p.URI, r.URI)
	o.Search, o.Part = nil, w.part
	o.within = o.within || p.isEncrypted()
	if o.Trace != nil {
		o.Trace(Event{Time: now(), Dir: InWords, Note: fmt.Sprintf("%s refers to %s (%s)", s.Name(), c.Schemes.Redact(r.URI), oneLine(r.Reason))})
	}
	to, toScheme, err := c.makePlan(ctx, r.URI, o, outermost)
	if err != nil {
		return nil, err
	}
	to.begin()
	if w.seen[to.key()] || w.isInChain(to) {
		return nil, Errorf(ErrRedirect, "the referrals form a loop, back to %s", c.Schemes.Redact(r.URI))
	}
	if err := c.countRequest(w.requests); err != nil {
		return nil, err
	}
	w.remember(to)
	c.closeRedirected(d)
	via := len(w.via)
	w.via = append(w.via, r)
	w.hops++
	next, err := w.request(ctx, to, toScheme)
	w.hops--
	if next == nil {
		w.via = w.via[:via]
	} else {
		next.Connections += d.Connections
	}
	return next, err
}

func (w *walk) remember(p *Plan) {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[p.key()] = true
}

func (w *walk) isInChain(p *Plan) bool {
	for q := w.last; q != nil; q = q.from {
		if q.key() == p.key() {
			return true
		}
	}
	return false
}

// depth returns how many requests there are from p back to the caller's.
func (p *Plan) depth() (n int) {
	for ; p != nil; p = p.from {
		n++
	}
	return n
}

// begin records the state in which the request of p is made.
func (p *Plan) begin() {
	if p.State != nil {
		p.state = p.State(p)
	}
}

// key returns the URI of the request, its search, credentials and settings, and the state. Two requests with the same key get the same referral, so the
// second one is a loop. Most requests have no referral, so the key is made only when two are compared (BenchmarkSmallDocuments).
func (p *Plan) key() string {
	o := p.Options
	return fmt.Sprintf("%s %q %q %t %q", p.URI.WithoutFragment(), o.Search, [...]string{o.Login.User, o.Login.Password}, o.Login.Set, o.Set) + p.state
}

// ReferralOptions returns the part of o, the options for from, that may be used for a URI in a referral or link. Options that are bound to a server,
// above all credentials, are used only for the same scheme, host and port.
func (r Registry) ReferralOptions(o *Options, from, to uri.URI) *Options {
	o = o.Clone()
	for _, key := range o.serverSettings { // those of the other server are added by makePlan
		delete(o.Set, key)
	}
	o.serverSettings, o.Listed = nil, nil // Listed is of another object
	if origin := r.Origin(from); origin != "" && origin == r.Origin(to) {
		return o
	}
	o.Login, o.referred = Login{}, true
	for key := range o.Set {
		if set, ok := r.setting(key); ok && (set.Bound || set.Secret) {
			delete(o.Set, key)
		}
	}
	return o
}
