package batch

import (
	"context"
	"maps"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
)

// Files returns the Task that saves each item's document into a file, by its Name or as the options say.
func Files(c fetch.Getter, fo *fetch.Options, so *save.Options) Task {
	return func(ctx context.Context, it *Item) (int64, error) {
		r, err := Save(ctx, c, it, fo, so)
		return r.Size, err
	}
}

// Save saves one item's document, as Files does. A try after one that broke continues what that has left; a file that an
// interrupted run has finished without noting it counts as done if it holds the same octets. An item that is to come Whole is retrieved
// again for that.
func Save(ctx context.Context, c fetch.Getter, it *Item, fo *fetch.Options, so *save.Options) (save.Result, error) {
	var o save.Options
	if so != nil {
		o = *so
	}
	if o.Path == "" && it.Name != "" {
		o.Name = it.Name
	}
	if o.URI.IsZero() {
		o.URI = it.URI
	}
	fo = it.Request(fo)
	last, _ := it.Keep.(save.Result)
	if it.Whole {
		o.Equal = o.Equal || it.Again && o.Path == ""
		return save.File(ctx, c, it.URI, fo, &o)
	}
	next := retry.Continuing(&o, last)
	if it.Again && o.Path == "" && !o.Force {
		again := *next
		again.Resume, again.Equal = true, true
		r, err := save.File(ctx, c, it.URI, fo, &again)
		if fetch.KindOf(err) != fetch.ErrRange || so != nil && so.Resume {
			return it.keep(r, err)
		}
		next.Equal = true // the protocol has no parts: the whole again
	}
	return it.keep(save.File(ctx, c, it.URI, fo, next))
}

func (it *Item) keep(r save.Result, err error) (save.Result, error) {
	if err != nil && r.Part != "" {
		r.Document = nil // it may be held for a while
		it.Keep = r
	}
	return r, err
}

// Left returns what the tries of the item so far have left of the policy.
func (it *Item) Left(p retry.Policy) retry.Policy {
	if it.series == nil {
		return p
	}
	return it.series.Left()
}

// Request returns the options of the item's request: fo with what its line says.
func (it *Item) Request(fo *fetch.Options) *fetch.Options {
	if it.Range.IsZero() && it.Search == nil && it.Set == nil {
		return fo
	}
	var o fetch.Options
	if fo != nil {
		o = *fo
	}
	if !it.Range.IsZero() {
		o.Range = it.Range
	}
	if it.Search != nil {
		o.Search = it.Search
	}
	if it.Set != nil {
		set := maps.Clone(o.Set)
		if set == nil {
			set = map[string][]string{}
		}
		for k, v := range it.Set {
			set[k] = []string{v}
		}
		o.Set = set
	}
	return &o
}
