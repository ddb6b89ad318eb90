package wais

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/internal/z3950"
)

// run sends the search or the first retrieval, and reads the response. If there is none on a reused connection, run repeats the request on
// another.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	steps := p.When("")
	for {
		s, done, err := open(ctx, p, env)
		if err != nil {
			return nil, err
		}
		used := s.used
		s.used = true
		x := &exchange{request: r, plan: p, env: env, session: s, done: func(ok bool) { done(ok && s.frames.Buffered() == 0) }}
		d, err := x.send(steps[len(steps)-1])
		if err == nil {
			return d, nil
		}
		x.done(x.atRest)
		if !used || fetch.KindOf(err) != fetch.ErrConnection || ctx.Err() != nil {
			return d, err
		}
	}
}

// An exchange is one request on its session.
type exchange struct {
	*request
	plan *fetch.Plan
	env  *fetch.Env
	*session
	done   func(reuse bool)
	atRest bool // the last response was complete, although perhaps an error
}

func (x *exchange) send(step fetch.Step) (*fetch.Document, error) {
	if step.Verb == verbRetrieve {
		return x.document(step)
	}
	a, err := x.search(step)
	if err != nil {
		return nil, err
	}
	if x.plan.Shape == fetch.ShapeDocument {
		return x.description(a)
	}
	return x.listing(a)
}

// query is session.query, and reports bytes between frames.
func (x *exchange) query(step fetch.Step) (*z3950.Response, error) {
	before := x.frames.Noise
	r, err := x.session.query(step)
	if x.frames.Noise > before {
		x.env.Deviates("WAIS message header", "the response", "%d bytes before the header", x.frames.Noise-before)
	}
	return r, err
}

// search sends a search, and selects the relevant diagnostics.
//
// QUIRK: freeWAIS-sf 2.2.10 responds to "?" with the description of the database, and then also parses it as a word: "query syntax error"
// (trace search-help). If there is no description, it sends only that error, even if the database does not exist. A search for a word shows
// whether it exists.
func (x *exchange) search(step fetch.Step) (*z3950.Response, error) {
	a, err := x.query(step)
	if err != nil {
		return nil, err
	}
	if len(a.Hits) == 0 && len(a.Diagnostics) == 1 && isSyntaxError(a.Diagnostics[0]) {
		if again := x.plan.When(ifNoHelp); len(again) > 0 {
			b, err := x.query(again[0])
			if err != nil {
				return nil, err
			}
			if missing := slices.IndexFunc(b.Diagnostics, isMissing); missing >= 0 {
				a.Diagnostics = b.Diagnostics[missing : missing+1]
			}
		}
	}
	if missing := slices.IndexFunc(a.Diagnostics, isMissing); missing >= 0 {
		a.Diagnostics = a.Diagnostics[missing : missing+1] // the other diagnostics follow from this one
	}
	if _, nothing := noHit(a.Hits); !nothing && len(a.Hits) > 0 && asksForHelp(step.Data) {
		a.Diagnostics = slices.DeleteFunc(a.Diagnostics, isSyntaxError)
	}
	return a, nil
}

// asksForHelp reports whether servers respond to these words with the description of the database.
func asksForHelp(words string) bool {
	return strings.HasPrefix(words, help) || strings.HasPrefix(words, "*")
}
