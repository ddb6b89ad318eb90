package gopher

import (
	"context"

	"example.org/deref/fetch"
)

// run sends the one request of the plan, whose response is the document.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	return r.retrieve(ctx, p, env, p.When("")[0])
}

func (r *request) retrieve(ctx context.Context, p *fetch.Plan, env *fetch.Env, s fetch.Step) (*fetch.Document, error) {
	c, err := send(ctx, p, env, s)
	if err != nil {
		return nil, err
	}
	document := plainDocument
	if r.plus() != "" {
		document = plusDocument
	}
	return document(r, c, env)
}

// runMetadata requests the attributes, and returns a document without a body. A server without Gopher+ usually returns the document, which
// shows only that it exists.
func (r *request) runMetadata(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	at, _, err := r.attributes(ctx, p, env)
	if err != nil || at.moved != nil {
		return at.moved, err
	}
	d := fetch.NewDocument(nil)
	d.Type, d.TypeReason = documentType(r.item(), string(r.Selector), nil)
	at.intoHeader(d)
	return d, nil
}

// runView requests the attributes, and then the view that is wanted most.
func (r *request) runView(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	at, known, err := r.attributes(ctx, p, env)
	switch {
	case err != nil && (known || !isPlainError(err)):
		return nil, err
	case at.moved != nil:
		return at.moved, nil
	}
	v, ok := choose(at.get("VIEWS"), p.Options.Accept)
	if !ok {
		return r.retrieve(ctx, p, env, p.When(noView)[0])
	}
	viewed := *r
	viewed.Plus = new(fetch.Octets("+" + v.String()))
	s := p.When(hasView)[0]
	s.Args = []string{viewed.line()}
	d, err := viewed.retrieve(ctx, p, env, s)
	if err == nil {
		at.intoHeader(d)
	}
	return d, err
}

// isPlainError reports whether err can be the response of a server without Gopher+ to a request for attributes, although it has the item.
func isPlainError(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrTruncated, fetch.ErrConnection:
		return true
	}
	return false
}

// attributes sends the request for attributes. known reports whether the server supports Gopher+.
func (r *request) attributes(ctx context.Context, p *fetch.Plan, env *fetch.Env) (at attributes, known bool, err error) {
	c, err := send(ctx, p, env, p.When("")[0])
	if err != nil {
		return at, false, err
	}
	defer c.Close()
	h, ok, err := readHead(c)
	switch {
	case err != nil:
		return at, false, err
	case !ok:
		_, err = checkError(c, env)
		return at, false, err
	case h.isError:
		at.moved, err = r.plusFailure(c, h)
		return at, true, err
	}
	d := fetch.NewDocument(nil)
	setBody(d, c, h)
	at, err = readAttributes(d.Body, env.Limits().Line)
	return at, true, err
}

// send sends one step. A gopher connection serves a single request.
func send(ctx context.Context, p *fetch.Plan, env *fetch.Env, s fetch.Step) (*fetch.Conn, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{TLS: p.TLS == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	if err := c.SendAs(fetch.LinesWithData, s); err != nil {
		return nil, err
	}
	c.Record(fetch.RecordOctets)
	return c, nil
}

// plainDocument returns the document of a response without Gopher+.
func plainDocument(r *request, c *fetch.Conn, env *fetch.Env) (*fetch.Document, error) {
	head, err := checkError(c, env)
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(c)
	d.Type, d.TypeReason = documentType(r.item(), string(r.Selector), head)
	d.End = fetch.EndClosed
	switch {
	case isMenu(r.item()):
		d.Body = newTextBody(c, d, env.Limits().Line, strictly(env))
		d.ListWith(newMenu(r, d, env.Limits().Line, env.Deviates).entries)
	case isLines(r.item()):
		d.Body = newTextBody(c, d, 0, textReporter(env, r.item()))
	}
	return d, nil
}
