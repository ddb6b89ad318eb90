package wais

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/internal/z3950"
)

// Run says the search, or the first retrieval, and looks at its answer. If a kept connection gives none at all, it is said on another.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := readingOf(p.URI, p.Options.Mode)
	if err != nil {
		return nil, err
	}
	steps := p.When("")
	for {
		s, done, err := open(ctx, p, env)
		if err != nil {
			return nil, err
		}
		used := s.used
		s.used = true
		x := &exchange{parts: &r, plan: p, env: env, session: s, done: func(ok bool) { done(ok && s.frames.Buffered() == 0) }}
		d, err := x.run(steps[len(steps)-1])
		if err == nil {
			return d, nil
		}
		x.done(x.atRest)
		if !used || fetch.KindOf(err) != fetch.ErrConnection || ctx.Err() != nil {
			return d, err
		}
	}
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
	a, err := x.search(step)
	if err != nil {
		return nil, err
	}
	if x.plan.Shape == fetch.ShapeDocument {
		return x.description(a)
	}
	return x.listing(a)
}

// search sends a search, and settles which of the diagnostics are worth reading.
//
// QUIRK: freeWAIS-sf 2.2.10 answers "?" with the description of the database, and then takes it for a word, which it is not: "query
// syntax error" (trace search-help). Where there is no description, that is all it says, even if the database does not exist. A word
// tells.
func (x *exchange) search(step fetch.Step) (*z3950.Response, error) {
	a, err := x.query(step)
	if err != nil {
		return nil, err
	}
	if len(a.Hits) == 0 && isSyntaxError(a.Diagnostics) {
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
		a.Diagnostics = a.Diagnostics[missing : missing+1] // whatever else there is follows from it
	}
	if _, nothing := noHit(a.Hits); !nothing && len(a.Hits) > 0 && asksForHelp(step.Data) {
		a.Diagnostics = slices.DeleteFunc(a.Diagnostics, func(d z3950.Diagnostic) bool { return isSyntaxError([]z3950.Diagnostic{d}) })
	}
	return a, nil
}

// asksForHelp reports whether servers answer words with the description of the database.
func asksForHelp(words string) bool {
	return strings.HasPrefix(words, help) || strings.HasPrefix(words, "*")
}
