// Package xexample dereferences x-example URIs. The client sends one line, and the response until the connection closes is the document.
package xexample

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Scheme returns the scheme x-example: x-example://host/words.
func Scheme() fetch.Scheme {
	return fetch.Scheme{Names: []string{"x-example"}, Rules: uri.Rules{DefaultPort: 7999, Hierarchical: true},
		Does: fetch.Does{Retrieves: true}, Summary: "an example", Spec: "this file", Plan: plan,
		Read: func(u uri.URI, _ uri.Mode) (any, error) { return u.Path().Decode(), nil }}
}

func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if err := fetch.CheckWhole("x-example", o); err != nil {
		return nil, err
	}
	addr, err := u.HostPort(7999)
	words := u.Path().Decode()
	return &fetch.Plan{Network: "tcp", Addr: addr, Shape: fetch.ShapeDocument, Type: "text/plain",
		Steps: []fetch.Step{{Verb: "SAY", Args: []string{words}}}, Run: run}, err
}

func run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	if err := c.Send(p.Steps[0]); err != nil {
		return nil, err
	}
	c.BeginReply() // a close before the first byte is an error, not an empty document
	c.BeginBody()
	d := fetch.NewDocument(c)
	d.Type, d.TypeReason, d.End = p.Type, "the scheme", fetch.EndClosed
	return d, nil
}
