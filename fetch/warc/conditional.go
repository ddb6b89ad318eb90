package warc

import (
	"context"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Schemes returns schemes that request a document that k has only if it has changed since, where the protocol has a way to find out (validators):
// an unchanged document is not transferred, and is that of the archive. Other requests are made as those of list.
func (k *Known) Schemes(list []fetch.Scheme) []fetch.Scheme {
	out := make([]fetch.Scheme, len(list))
	for i, s := range list {
		out[i] = s
		if s.Does.Retrieves {
			out[i].Plan = (&conditional{k, &replayer{k.archive, s}}).Plan
		}
	}
	return out
}

// A conditional plans the requests of one scheme.
type conditional struct {
	known *Known
	*replayer
}

// Plan adds the validator of the known document to a request for a whole one without conditions.
func (h *conditional) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if !isUnconditional(u, o) {
		return h.scheme.Plan(u, o)
	}
	at, ok := h.known.latest(h.requestedURI(u, o))
	if !ok {
		return h.scheme.Plan(u, o)
	}
	v, ok := h.validator(at)
	if !ok {
		return h.scheme.Plan(u, o)
	}
	with := *o
	with.IfChanged = v
	p, err := h.scheme.Plan(u, &with)
	if err != nil || p.Run == nil {
		return h.scheme.Plan(u, o)
	}
	run := p.Run
	p.Run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		q, with := *p, *p.Options
		with.IfChanged = v
		q.Options = &with
		d, err := run(ctx, &q, env)
		if err != nil || !d.NotModified {
			return d, err
		}
		if d.Body != nil {
			d.Body.Close()
		}
		h.known.same.Store(p, at)
		return h.from(ctx, p, env, at)
	}
	return p, nil
}

// isUnconditional reports whether a request is for a whole document in whatever state.
func isUnconditional(u uri.URI, o *fetch.Options) bool {
	return o.Op == fetch.Retrieve && o.Range.IsZero() && o.IfSame.IsZero() && o.IfChanged.IsZero() && selectionOf(u, o) == ""
}

// validator returns the validator that the server sent with a capture. It returns false if there was none.
func (h *conditional) validator(at recordRef) (v fetch.Validator, ok bool) {
	r, err := h.archive.open(at)
	if err != nil {
		return v, false
	}
	defer r.Close()
	if head, _, err := splitMessage(r.Record); err == nil && head != nil {
		fields := fields(head)
		v = fetch.Validator{Tag: strings.TrimSpace(fields.Get("Etag")), Modified: fields.Get("Last-Modified")}
		return v, !v.IsZero()
	}
	if o, _ := h.archive.outcomeOf(at); o != nil {
		v = o.Validator
	}
	return v, v.Tag != "" || v.Modified != ""
}
