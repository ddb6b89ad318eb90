package check

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// One tests a single link, as Run does. Its Result has no places.
func One(ctx context.Context, c fetch.Getter, u uri.URI, o *fetch.Options) *Result {
	r := &Result{URI: u}
	p := &probe{ctx: ctx, client: c, options: o, pages: &pages{}, uri: u}
	r.Final, r.Err = p.do()
	r.Permanent, r.Suspect = p.permanent, p.suspect
	r.Verdict = verdictOf(r)
	return r
}
