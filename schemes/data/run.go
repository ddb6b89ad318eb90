package data

import (
	"context"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Plan decodes u, so that a bad one is refused before anything happens.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.NoOperation("data", o.Op)
	}
	r, err := read(u)
	if err != nil {
		return nil, err
	}
	if _, _, err := o.Range.Of(int64(len(r.Data))); err != nil {
		return nil, err
	}
	coding := "escapes"
	if r.Base64 {
		coding = "base64"
	}
	return &fetch.Plan{
		URI: u, Shape: fetch.ShapeDocument, Type: r.Type,
		Steps: []fetch.Step{{Verb: "decode", Args: []string{coding}}},
	}, nil
}

// Run gives the octets of p's URI.
func (handler) Run(_ context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if err := env.Announce(p.When("")...); err != nil {
		return nil, err
	}
	r, err := read(p.URI)
	if err != nil {
		return nil, err
	}
	from, to, err := p.Options.Range.Of(int64(len(r.Data)))
	if err != nil {
		return nil, err
	}
	if p.Options.Op == fetch.Metadata {
		to = from
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader(string(r.Data[from:to]))))
	d.Type, d.TypeReason, d.End = r.Type, r.Reason, fetch.EndDeclared
	d.Size, d.Offset = int64(len(r.Data)), from
	return d, nil
}
