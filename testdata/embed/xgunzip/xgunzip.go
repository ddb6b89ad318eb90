// Package xgunzip dereferences x-gunzip URIs: x-gunzip:http://h/a.gz is what http://h/a.gz holds, decompressed.
package xgunzip

import (
	"compress/gzip"
	"context"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// Scheme returns the scheme x-gunzip. It may request whatever the network has, and nothing of this machine.
func Scheme() fetch.Scheme {
	return fetch.Scheme{Names: []string{"x-gunzip"}, Does: fetch.Does{Retrieves: true}, MayReferTo: []string{"*"},
		Summary: "another object, decompressed", Spec: "RFC 1952", Plan: plan}
}

func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for decompressed objects")
	}
	inner, err := uri.Parse(u.String()[len("x-gunzip:"):])
	if err != nil || !inner.IsAbs() {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "x-gunzip: needs the absolute URI of another object")
	}
	run := func(ctx context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		in, err := env.Get(ctx, inner, nil)
		if in == nil {
			return nil, err
		}
		if err != nil {
			in.Body.Close()
			return nil, err
		}
		r, err := gzip.NewReader(in.Body)
		if err != nil {
			in.Body.Close()
			return nil, fetch.Errorf(fetch.ErrDecode, "%w", err)
		}
		d := fetch.NewDocument(body{r, in.Body})
		d.Type, d.TypeReason, d.End = mediatype.OfFile(r.Name), "the name within", fetch.EndTerminated
		return d, nil
	}
	return &fetch.Plan{Shape: fetch.ShapeDocument, Steps: []fetch.Step{fetch.GetStep(inner)}, Run: run}, nil
}

// A body is a decompressed object. Its io.EOF means that the checksum is right and that the compressed object has ended, too.
type body struct {
	*gzip.Reader
	io.Closer
}

// Close closes the compressed object, which ends its request.
func (b body) Close() error { return b.Closer.Close() }
