package retry

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// File is save.File under the policy. A try that left NAME.part is continued by the next, unless the document is to come Whole.
func (p Policy) File(ctx context.Context, c fetch.Getter, u uri.URI, fo *fetch.Options, so *save.Options) (r save.Result, err error) {
	if p.Retries <= 0 {
		return save.File(ctx, c, u, fo, so)
	}
	err = p.Do(ctx, func(int) error {
		if p.Whole {
			r = save.Result{}
		}
		r, err = save.File(ctx, c, u, fo, Continuing(so, r))
		return err
	})
	return r, err
}

// Continuing returns the options for the next try after one that ended with r: they resume what r says was left, and nothing
// else, since a file of the final name is none of ours.
func Continuing(so *save.Options, r save.Result) *save.Options {
	if r.Part == "" || so != nil && (so.Resume || so.From > 0) {
		return so
	}
	var o save.Options
	if so != nil {
		o = *so
	}
	o.Resume = true
	return &o
}
