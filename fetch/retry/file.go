package retry

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// File is save.File with retries. The refusal of a document that is the page of one is its error. A retry continues NAME.part, unless Whole is set.
func (p Policy) File(ctx context.Context, c fetch.Getter, u uri.URI, fo *fetch.Options, so *save.Options) (r save.Result, err error) {
	err = p.Do(ctx, func(int) error {
		if p.Whole {
			r = save.Result{}
		}
		r, err = save.File(ctx, c, u, fo, Continuing(so, r))
		return failureOf(r.Document, err)
	})
	return r, err
}

// Continuing returns the options for the next try after one that ended with r. They continue the part that r left, and nothing else, since
// an existing file of the final name is not ours.
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
