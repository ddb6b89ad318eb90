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
	doc    *fetch.Document // counts missing numbers while it is read
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
	serial := req.serial || env.Peer().Get(noPipelining) != nil
	return &run{request: req, ctx: ctx, plan: p, env: env, doc: &fetch.Document{}, serial: serial}
}

// A retryError means that the request may succeed on another connection: a kept one failed, or, if serial is set, a pipeline, whose commands are
// to be sent one at a time.
type retryError struct {
	error
	serial bool
}

// Unwrap returns the cause.
func (e retryError) Unwrap() error { return e.error }

// mayRetry reports whether the request may be repeated. It only reads.
func (r *run) mayRetry(err error) bool {
	again, ok := errors.AsType[retryError](err)
	if !ok || r.ctx.Err() != nil || again.serial && r.serial {
		return false
	}
	if again.serial {
		r.serial = true
		r.env.Peer().Set(noPipelining, true)
	}
	return true // the number of kept connections is limited
}

// attempt carries out the request over one connection.
func (r *run) attempt(execute func() (*fetch.Document, error)) (*fetch.Document, error) {
	s, done, err := fetch.Lease(r.ctx, r.env, "", r.open)
	if err != nil {
		return nil, err
	}
	r.s, r.done = s, done
	s.env, s.replies, s.pipelined = r.env, 0, false
	d, err := execute()
	if err == nil {
		return d, nil
	}
	if r.isStale(err) {
		err = retryError{err, false}
	}
	r.release()
	return nil, err
}

// isStale reports whether the kept connection failed, and not the request: it returned no reply at all.
func (r *run) isStale(err error) bool {
	return r.s.kept && r.s.broken != nil && r.s.replies == 0 && r.ctx.Err() == nil && fetch.KindOf(err) != fetch.ErrTimeout
}

// release leaves the connection to later requests if nothing is outstanding.
func (r *run) release() {
	r.s.kept = true
	r.done(r.s.ready && r.s.atRest())
}

// textEnded handles the end of a text.
func (r *run) textEnded(err error) {
	if err != io.EOF {
		r.end(err)
	}
	r.release()
}

// execute sends the steps and makes the document from the replies.
func (r *run) execute() (*fetch.Document, error) {
	if err := r.begin(r.mainSteps()); err != nil {
		return nil, err
	}
	switch {
	case r.thread:
		return r.threadListing()
	case r.isGroups() && !r.since.IsZero():
		return r.newsSince()
	case r.isGroups():
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

// mainSteps returns the unconditional steps after session setup that can be sent without waiting for a reply.
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

// hasPlaceholder reports whether a reply supplies an argument of s.
func hasPlaceholder(s fetch.Step) bool {
	for _, a := range s.Args {
		switch a {
		case "<low>-<high>", "<number>", "<group>", "<reference>":
			return true
		}
	}
	return false
}
