package news

import (
	"context"
	"errors"
	"io"

	"example.org/deref/fetch"
)

// run is one request.
type run struct {
	handler
	parts
	wish
	ctx    context.Context
	plan   *fetch.Plan
	env    *fetch.Env
	serial bool
	s      *session
	done   func(bool)
	doc    *fetch.Document // whose Gaps are counted while it is read
}

// Run carries the plan out.
func (h handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := h.run(ctx, p, env)
	if err != nil {
		return nil, err
	}
	if p.Network == "" {
		return r.look()
	}
	for {
		d, err := r.attempt(r.perform)
		if err == nil || !r.again(err) {
			return d, err
		}
	}
}

func (h handler) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*run, error) {
	parts, w, err := h.wanted(p.URI, p.Options)
	if err != nil {
		return nil, err
	}
	return &run{handler: h, parts: parts, wish: w, ctx: ctx, plan: p, env: env, doc: &fetch.Document{}, serial: w.serial || env.Peer().Get(noPipelining) != nil}, nil
}

// stale says that a kept connection is of no use, and another may be.
type stale struct{ error }

// Unwrap returns why.
func (s stale) Unwrap() error { return s.error }

// again reports whether the request may be made once more: what Run says only reads.
func (r *run) again(err error) bool {
	if r.ctx.Err() != nil {
		return false
	}
	if _, ok := errors.AsType[stale](err); ok {
		return true // there are only so many kept connections
	}
	if _, ok := errors.AsType[dislike](err); ok && !r.serial {
		r.serial = true
		r.env.Peer().Set(noPipelining, true)
		return true
	}
	return false
}

// attempt makes the request over one connection.
func (r *run) attempt(perform func() (*fetch.Document, error)) (*fetch.Document, error) {
	s, done, err := fetch.Lease(r.ctx, r.env, r.manner(), r.open)
	if err != nil {
		return nil, err
	}
	r.s, r.done = s, done
	s.heard, s.flown = 0, false
	d, err := perform()
	if err == nil {
		return d, nil
	}
	if r.isWorn(err) {
		err = stale{err}
	}
	r.finish()
	return nil, err
}

// isWorn reports whether it was the kept connection that failed, and not the request: nothing was heard on it.
func (r *run) isWorn(err error) bool {
	return r.s.kept && r.s.broken != nil && r.s.heard == 0 && r.ctx.Err() == nil && fetch.KindOf(err) != fetch.ErrTimeout
}

// finish leaves the connection to later requests if it is at rest.
func (r *run) finish() {
	r.s.kept = true
	r.done(r.s.ready && r.s.atRest())
}

// over is what a text says at its end.
func (r *run) over(err error) {
	if err != io.EOF {
		r.end(err)
	}
	r.finish()
}

// perform says the steps and makes the document of what comes.
func (r *run) perform() (*fetch.Document, error) {
	if err := r.begin(r.main()); err != nil {
		return nil, err
	}
	switch {
	case r.wish.thread:
		return r.threadListing()
	case (r.What == whatAll || r.What == whatWildmat) && !r.since.IsZero():
		return r.newsSince()
	case r.What == whatAll || r.What == whatWildmat:
		return r.groups()
	}
	if r.Group != nil {
		g, err := r.enter()
		if err != nil {
			return nil, err
		}
		switch {
		case r.What == whatNumber:
		case r.plan.Options.Op == fetch.Metadata:
			return r.aboutGroup(g), nil
		case r.mbox:
			return r.mailbox(g)
		default:
			return r.overview(g)
		}
	}
	return r.oneArticle()
}

// main are the unconditional steps behind the opening that can be said before anything was heard.
func (r *run) main() (list []fetch.Step) {
	for _, s := range r.plan.When("") {
		switch s.Verb {
		case "CAPABILITIES", "STARTTLS":
			continue
		}
		if depends(s) {
			break
		}
		list = append(list, s)
	}
	return list
}

// depends reports whether an argument is supplied by a reply.
func depends(s fetch.Step) bool {
	for _, a := range s.Args {
		switch a {
		case "<low>-<high>", "<number>", "<group>", "<reference>":
			return true
		}
	}
	return false
}

// manner is what a kept connection must have in common with a new one, besides server and login.
func (r *run) manner() string {
	m := r.ssl
	if r.compress {
		m += " compressed"
	}
	return m
}
