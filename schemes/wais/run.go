package wais

import (
	"context"

	"example.org/deref/fetch"
)

// Run says the search, or the first retrieval, and looks at its answer.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := readingOf(p.URI, p.Options.Mode)
	if err != nil {
		return nil, err
	}
	s, done, err := open(ctx, p, env)
	if err != nil {
		return nil, err
	}
	steps := p.When("")
	x := &exchange{parts: &r, plan: p, env: env, session: s, done: func(ok bool) { done(ok && s.frames.Buffered() == 0) }}
	d, err := x.run(steps[len(steps)-1])
	if err != nil {
		x.done(x.atRest)
	}
	return d, err
}

// An exchange is one request with its session.
type exchange struct {
	*parts
	plan *fetch.Plan
	env  *fetch.Env
	*session
	done   func(reuse bool)
	atRest bool // the last answer was whole, though no good
}

func (x *exchange) run(step fetch.Step) (*fetch.Document, error) {
	if step.Verb == verbRetrieve {
		return x.document(step)
	}
	a, err := x.query(step)
	if err != nil {
		return nil, err
	}
	if x.plan.Shape == fetch.ShapeDocument {
		return x.description(a)
	}
	return x.listing(a)
}
