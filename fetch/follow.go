package fetch

import (
	"context"
	"errors"
	"fmt"

	"example.org/deref/uri"
)

// A walk is one request with all the referrals that it is led through.
type walk struct {
	client *Client
	seen   map[string]bool // the requests that were made, by walk.key
	via    []Referral
	part   bool // Options.Part as it was asked
}

// walk dereferences u and follows what may be followed. This is the only place where anything is followed.
func (c *Client) walk(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	w := &walk{client: c, part: o.Part}
	d, err := w.step(ctx, u, o)
	if d != nil {
		d.Via = w.via
		fragmentFrom(d, u)
	}
	return d, err
}

// fragmentFrom hands the fragment back to the caller. One that a referral brought replaces the one asked for (RFC 9110 section
// 10.2.2).
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

func (w *walk) step(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	p, s, err := w.client.plan(ctx, u, o)
	if err != nil {
		return nil, err
	}
	return w.request(ctx, p, s)
}

// request makes the planned request and follows what it leads to.
func (w *walk) request(ctx context.Context, p *Plan, s Scheme) (*Document, error) {
	o := p.Options
	w.remember(w.key(p, s))
	d, err := w.client.run(ctx, p, s)
	if err != nil {
		return nil, err
	}
	if len(d.Referrals) == 0 || !w.client.mayFollow(o) {
		return d, nil
	}
	return w.follow(ctx, d, p, s)
}

// mayFollow reports whether referrals are followed in a request with o.
func (c *Client) mayFollow(o *Options) bool {
	return !c.Policy.NoFollow && !o.NoFollow && (o.Op == Retrieve || o.Op == Metadata)
}

// follow tries the referrals of d in the server's order of preference, until one leads to a document.
func (w *walk) follow(ctx context.Context, d *Document, p *Plan, s Scheme) (*Document, error) {
	if len(w.via) >= w.client.Policy.maxReferrals() {
		return d, &Error{Kind: ErrRedirect, Text: fmt.Sprintf("more than %d referrals", w.client.Policy.maxReferrals()), Hint: HintMaxReferrals}
	}
	var first error
	for _, r := range d.Referrals {
		next, err := w.try(ctx, d, p, s, r)
		if next != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			d.Body.Close()
			return next, err
		}
		if KindOf(err) == ErrTLS { // whoever stands in between would choose the candidate: perhaps one in clear
			d.Body.Close()
			return nil, err
		}
		if first == nil {
			first = err
		}
	}
	if KindOf(first) == ErrRedirect {
		return d, first
	}
	d.Body.Close()
	return nil, notGone(first)
}

// MayFollow says whether Get would follow r from a Document of u, and if not why: for programs that follow themselves.
func (c *Client) MayFollow(u uri.URI, r Referral) error {
	s, err := c.schemeOf(u)
	if err != nil {
		return err
	}
	return c.Policy.checkReferral(s, r, c.Schemes)
}

// MayChoose says whether a link of a Document of u, which somebody has chosen, may be followed, and if not why. He may cross the network by
// it to whatever there is; but its words are still those of u's server, so that they open no file and run no program of this machine unless
// the Document is one of those itself.
func (c *Client) MayChoose(u, link uri.URI) error {
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

// try follows one referral. The request's own settings go along; what is bound to its server goes along to the same one only.
func (w *walk) try(ctx context.Context, d *Document, p *Plan, s Scheme, r Referral) (*Document, error) {
	c := w.client
	if err := c.Policy.checkReferral(s, r, c.Schemes); err != nil {
		return nil, err
	}
	o := c.Schemes.Along(p.Options, p.URI, r.URI)
	o.Search, o.Part = nil, w.part
	o.within = o.within || p.TLS == ImplicitTLS || p.TLS == ExplicitTLS
	if o.Trace != nil {
		o.Trace(Event{Time: now(), Dir: InWords, Note: fmt.Sprintf("%s leads to %s (%s)", s.Name(), c.Schemes.Redact(r.URI), oneLine(r.Reason))})
	}
	to, toScheme, err := c.plan(ctx, r.URI, o)
	if err != nil {
		return nil, err
	}
	if w.seen[w.key(to, toScheme)] {
		return nil, Errorf(ErrRedirect, "the referrals lead in a circle, back to %s", c.Schemes.Redact(r.URI))
	}
	c.leave(d)
	via := len(w.via)
	w.via = append(w.via, r)
	next, err := w.request(ctx, to, toScheme)
	if next == nil {
		w.via = w.via[:via]
	} else {
		next.Connections += d.Connections
	}
	return next, err
}

func (w *walk) remember(key string) {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[key] = true
}

// key identifies a request: its URI, what it searches for, its credentials and settings, and the state of its handler, as of cookies. Two
// requests of one key get the same referral, so that a second one is a circle.
func (w *walk) key(p *Plan, s Scheme) string {
	o, state := p.Options, ""
	if p.State != nil {
		state = p.State(p)
	}
	return fmt.Sprintf("%s %q %q %t %q", p.URI.WithoutFragment(), o.Search, [...]string{o.Login.User, o.Login.Password}, o.Login.Set, o.Set) + state
}

// Along returns what of o, the wishes for from, may go along to a URI that somebody else's words lead to: a referral, a link. What is
// bound to a server, credentials above all, goes to the same scheme, host and port only.
func (r Registry) Along(o *Options, from, to uri.URI) *Options {
	o = o.clone()
	o.forgetServer() // those of the other one are found for it
	if r.sameOrigin(from, to) {
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

// sameOrigin says whether credentials for a may be used for b.
func (r Registry) sameOrigin(a, b uri.URI) bool {
	from := r.Origin(a)
	return from != "" && from == r.Origin(b)
}
