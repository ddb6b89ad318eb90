package fetch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.org/deref/uri"
)

// A walk is one request with all the referrals that it is led through.
type walk struct {
	client *Client
	asked  uri.URI
	seen   map[string]bool
	via    []Referral
}

// walk dereferences u and follows what may be followed. This is the only place where anything is followed.
func (c *Client) walk(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	w := &walk{client: c, asked: u}
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
	d, p, s, err := w.client.one(ctx, u, o)
	if err != nil {
		return nil, err
	}
	if len(d.Referrals) == 0 || w.client.Policy.NoFollow || o.Op != Retrieve && o.Op != Metadata {
		return d, nil
	}
	return w.follow(ctx, d, p, s)
}

// follow tries the referrals of d in the server's order of preference, until one leads to a document.
func (w *walk) follow(ctx context.Context, d *Document, p *Plan, s Scheme) (*Document, error) {
	if len(w.via) >= w.client.Policy.maxReferrals() {
		return d, &Error{Kind: ErrRedirect, Text: fmt.Sprintf("more than %d referrals", w.client.Policy.maxReferrals()), Hint: "--max-redirs N allows more"}
	}
	w.remember(d.URI)
	var first error
	for _, r := range d.Referrals {
		next, err := w.try(ctx, d, p, s, r)
		if next != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			d.Body.Close()
			return next, err
		}
		if first == nil {
			first = err
		}
	}
	if KindOf(first) == ErrRedirect {
		return d, first
	}
	d.Body.Close()
	return nil, first
}

// try follows one referral. The request's own settings go along; what is bound to its server goes along to the same one only.
func (w *walk) try(ctx context.Context, d *Document, p *Plan, s Scheme, r Referral) (*Document, error) {
	c := w.client
	if err := c.Policy.checkReferral(s, r, c.Schemes); err != nil {
		return nil, err
	}
	if w.seen[r.URI.WithoutFragment().String()] {
		return nil, Errorf(ErrRedirect, "the referrals lead in a circle, back to %s", c.Schemes.Redact(r.URI))
	}
	o := p.Options.clone()
	o.Search, o.Range = nil, p.Options.Range
	if !c.sameOrigin(p.URI, r.URI) {
		o.Login = Login{}
		for key := range o.Set {
			if set, ok := c.Schemes.setting(key); ok && set.Secret {
				delete(o.Set, key)
			}
		}
	}
	via := len(w.via)
	w.via = append(w.via, r)
	if o.Trace != nil {
		o.Trace(Event{Time: now(), Dir: InWords, Note: fmt.Sprintf("%s leads to %s (%s)", s.Name(), c.Schemes.Redact(r.URI), oneLine(r.Reason))})
	}
	d.Body.Close()
	next, err := w.step(ctx, r.URI, o)
	if next == nil {
		w.via = w.via[:via]
	}
	return next, err
}

func (w *walk) remember(u uri.URI) {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[u.WithoutFragment().String()] = true
}

// sameOrigin says whether credentials for a may be used for b.
func (c *Client) sameOrigin(a, b uri.URI) bool {
	s, ok := c.Schemes.Lookup(a.Scheme())
	return ok && a.Scheme() == b.Scheme() && originOf(a, s.Rules.DefaultPort) != "" &&
		originOf(a, s.Rules.DefaultPort) == originOf(b, s.Rules.DefaultPort)
}

// originOf is what credentials are bound to: scheme, host and port.
func originOf(u uri.URI, defaultPort int) string {
	hp, err := u.HostPort(defaultPort)
	if err != nil {
		return ""
	}
	return u.Scheme() + "://" + strings.ToLower(hp) // hosts have no case (RFC 3986 section 3.2.2)
}
