package news

import (
	"context"
	"errors"
	"io"

	"example.org/deref/fetch"
)

// A run carries out one request.
type run struct {
	*request
	ctx    context.Context
	plan   *fetch.Plan
	env    *fetch.Env
	serial bool
	s      *session
	done   func(bool)
	doc    *fetch.Document // whose Gaps are counted while it is read
}

// run retrieves the document.
func (req *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r := req.start(ctx, p, env)
	if p.Network == "" {
		return r.searchStore()
	}
	for {
		d, err := r.attempt(r.execute)
		if err == nil || !r.mayRetry(err) {
			return d, err
		}
	}
}

func (req *request) start(ctx context.Context, p *fetch.Plan, env *fetch.Env) *run {
	return &run{request: req, ctx: ctx, plan: p, env: env, doc: &fetch.Document{}, serial: req.serial || env.Peer().Get(noPipelining) != nil}
}

// stale says that a kept connection is of no use, and another may be.
type staleError struct{ error }

// Unwrap returns why.
func (s staleError) Unwrap() error { return s.error }

// again reports whether the request may be made once more: what Run says only reads.
func (r *run) mayRetry(err error) bool {
	if r.ctx.Err() != nil {
		return false
	}
	if _, ok := errors.AsType[staleError](err); ok {
		return true // there are only so many kept connections
	}
	if _, ok := errors.AsType[pipelineError](err); ok && !r.serial {
		r.serial = true
		r.env.Peer().Set(noPipelining, true)
		return true
	}
	return false
}

// attempt makes the request over one connection.
func (r *run) attempt(execute func() (*fetch.Document, error)) (*fetch.Document, error) {
	s, done, err := fetch.Lease(r.ctx, r.env, r.leaseKey(), r.open)
	if err != nil {
		return nil, err
	}
	r.s, r.done = s, done
	s.replies, s.pipelined = 0, false
	d, err := execute()
	if err == nil {
		return d, nil
	}
	if r.isStale(err) {
		err = staleError{err}
	}
	r.release()
	return nil, err
}

// isWorn reports whether it was the kept connection that failed, and not the request: nothing was heard on it.
func (r *run) isStale(err error) bool {
	return r.s.kept && r.s.broken != nil && r.s.replies == 0 && r.ctx.Err() == nil && fetch.KindOf(err) != fetch.ErrTimeout
}

// finish leaves the connection to later requests if it is at rest.
func (r *run) release() {
	r.s.kept = true
	r.done(r.s.ready && r.s.atRest())
}

// over is what a text says at its end.
func (r *run) textEnded(err error) {
	if err != io.EOF {
		r.end(err)
	}
	r.release()
}

// perform says the steps and makes the document of what comes.
func (r *run) execute() (*fetch.Document, error) {
	if err := r.begin(r.mainSteps()); err != nil {
		return nil, err
	}
	switch {
	case r.thread:
		return r.threadListing()
	case (r.What == whatAll || r.What == whatWildmat) && !r.since.IsZero():
		return r.newsSince()
	case r.What == whatAll || r.What == whatWildmat:
		return r.groups()
	}
	if r.Group != nil {
		g, err := r.readGroup()
		if err != nil {
			return nil, err
		}
		switch {
		case r.What == whatNumber:
		case r.plan.Options.Op == fetch.Metadata:
			return r.groupMetadata(g), nil
		case r.mbox:
			return r.mailbox(g)
		default:
			return r.overview(g)
		}
	}
	return r.oneArticle()
}

// main are the unconditional steps behind the opening that can be said before anything was heard.
func (r *run) mainSteps() (list []fetch.Step) {
	for _, s := range r.plan.When("") {
		switch s.Verb {
		case "CAPABILITIES", "STARTTLS":
			continue
		}
		if hasPlaceholder(s) {
			break
		}
		list = append(list, s)
	}
	return list
}

// depends reports whether an argument is supplied by a reply.
func hasPlaceholder(s fetch.Step) bool {
	for _, a := range s.Args {
		switch a {
		case "<low>-<high>", "<number>", "<group>", "<reference>":
			return true
		}
	}
	return false
}

// manner is what a kept connection must have in common with a new one, besides server and login.
func (r *run) leaseKey() string {
	m := r.ssl
	if r.compress {
		m += " compressed"
	}
	return m
}
