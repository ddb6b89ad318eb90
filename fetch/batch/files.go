package batch

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
)

// Files returns a Task that saves each item's document into a file, named by its Name or by the options.
func Files(c fetch.Getter, fo *fetch.Options, so *save.Options) Task {
	return func(ctx context.Context, it *Item) (int64, error) {
		var o save.Options
		if so != nil {
			o = *so
		}
		r, err := Save(ctx, c, it, fo, &o)
		return r.Size, err
	}
}

// Save saves one item's document, as Files does. It changes o, which belongs to the item, by the item's line. A retry continues an incomplete
// file. A file that an interrupted run has finished without recording it counts as done if it has the same content. An item with Whole set is
// always fetched from the beginning.
func Save(ctx context.Context, c fetch.Getter, it *Item, fo *fetch.Options, o *save.Options) (save.Result, error) {
	if o.Path == "" && it.Name != "" {
		o.Name = it.Name
	}
	if it.Check != nil {
		o.Check = it.Check
	}
	if o.URI.IsZero() {
		o.URI = it.URI
	}
	again := it.Again && o.Path == "" && (it.Whole || !o.Force)
	o.Equal = o.Equal || again
	fo = it.Request(fo)
	if it.Whole {
		return save.File(ctx, c, it.URI, fo, o)
	}
	last, _ := it.Keep.(save.Result)
	resumes := o.Resume
	o = retry.Continuing(o, last)
	if again {
		resuming := *o
		resuming.Resume = true
		r, err := save.File(ctx, c, it.URI, fo, &resuming)
		if fetch.KindOf(err) != fetch.ErrRange || resumes {
			return it.keep(r, err)
		} // without ranges, fetch the whole again
	}
	return it.keep(save.File(ctx, c, it.URI, fo, o))
}

func (it *Item) keep(r save.Result, err error) (save.Result, error) {
	if err != nil && r.Part != "" {
		kept := r
		kept.Document = nil // do not hold it until the next try
		it.Keep = kept
	}
	return r, err
}

// Left returns the part of the policy that the item's earlier tries have not used up.
func (it *Item) Left(p retry.Policy) retry.Policy {
	if it.series == nil {
		return p
	}
	return it.series.Left()
}

// Request returns the options of the item's request: fo changed by the item's line.
func (it *Item) Request(fo *fetch.Options) *fetch.Options {
	if it.Range.IsZero() && it.Search == nil && it.Set == nil {
		return fo
	}
	o := fo.Clone()
	if !it.Range.IsZero() {
		o.Range = it.Range
	}
	if it.Search != nil {
		o.Search = it.Search
	}
	for k, v := range it.Set {
		o.Put(k, v)
	}
	return o
}
