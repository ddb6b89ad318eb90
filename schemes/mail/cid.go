package mail

import (
	"context"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// cid is the handler of cid.
type cid struct{ Config }

// Plan looks into the message that the reference stands in, and nowhere else (RFC 2392 section 2).
func (h cid) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := cidOf(u)
	if err != nil {
		return nil, err
	}
	if err := onlyReads(o, "cid"); err != nil {
		return nil, err
	}
	in := "<the message on standard input>"
	if !o.Base.IsZero() {
		in = o.Base.WithoutUserinfo().String()
	}
	return &fetch.Plan{
		TLS: fetch.NoTLS, Shape: fetch.ShapeDocument,
		Steps: []fetch.Step{{Verb: "part", Args: []string{in}, Data: "<" + string(*r.ContentID) + ">"}},
	}, nil
}

// Run reads the message until the part is there.
func (h cid) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := cidOf(p.URI)
	if err != nil {
		return nil, err
	}
	if err := env.Announce(p.When("")[0]); err != nil {
		return nil, err
	}
	in, err := h.message(ctx, p, env)
	if err != nil {
		return nil, err
	}
	d, err := partOf(in, env.Limits(), string(*r.ContentID))
	if err != nil {
		in.Close()
	}
	return d, err
}

// message is the one of Options.Base, or what the program is given.
func (h cid) message(ctx context.Context, p *fetch.Plan, env *fetch.Env) (io.ReadCloser, error) {
	if p.Options.Base.IsZero() && h.Input != nil {
		return h.Input()
	}
	d, err := env.Base(ctx)
	if err != nil {
		if d != nil {
			d.Body.Close()
		}
		return nil, err
	}
	return d.Body, nil
}
