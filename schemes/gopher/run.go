package gopher

import (
	"context"
	"strings"

	"example.org/deref/fetch"
)

// Run says the line and looks at the first octets of the answer. With a wish for a view it asks first which there are.
func (h *handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := read(p.URI, p.Options.Mode)
	if err != nil {
		return nil, err
	}
	x := &exchange{handler: h, plan: p, env: env, gopherURI: r}
	step := p.When("")[0]
	switch {
	case p.Options.Op == fetch.Metadata:
		return x.about(ctx, step)
	case len(p.When(noView)) > 0:
		return x.chooseView(ctx, step)
	case len(p.Options.Set[dataKey]) > 0 && r.Plus == nil:
		r.Plus = new(fetch.Octets("+"))
	}
	return x.fetch(ctx, step)
}

// An exchange is one request with its one to two connections.
type exchange struct {
	*handler
	plan *fetch.Plan
	env  *fetch.Env
	*gopherURI
}

// fetch says a step whose answer is the document.
func (x *exchange) fetch(ctx context.Context, s fetch.Step) (*fetch.Document, error) {
	a, err := x.say(ctx, s)
	if err != nil {
		return nil, err
	}
	document := plainDocument
	if x.Plus != nil {
		document = plusDocument
	}
	d, err := document(x.gopherURI, a, x.env)
	if err != nil {
		a.Close()
	}
	return d, err
}

// about says the step that asks for attributes, and makes of the answer a document without a body. A plain server answers with the
// document, or nearly so; then no more is known than that there is one.
func (x *exchange) about(ctx context.Context, s fetch.Step) (*fetch.Document, error) {
	at, known, err := x.ask(ctx, s)
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(nil)
	d.Type, d.TypeReason = documentType(x.item(), string(x.Selector), nil)
	if known {
		at.intoHeader(d)
	}
	return d, nil
}

// chooseView asks for the attributes, then for the view that is wanted most.
func (x *exchange) chooseView(ctx context.Context, s fetch.Step) (*fetch.Document, error) {
	at, known, err := x.ask(ctx, s)
	if err != nil && (known || !plainRefusal(err)) {
		return nil, err
	}
	v, ok := choose(at.get("VIEWS"), x.plan.Options.Accept)
	if !ok {
		return x.fetch(ctx, x.plan.When(noView)[0])
	}
	s = x.plan.When(hasView)[0]
	s.Args = []string{strings.Replace(s.Args[0], viewMark, v.String(), 1)}
	x.Plus = new(fetch.Octets("+" + v.String()))
	d, err := x.fetch(ctx, s)
	if err == nil {
		at.intoHeader(d)
	}
	return d, err
}

// plainRefusal reports whether a plain server may say err to a request of Gopher+, and have the item all the same.
func plainRefusal(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrTruncated, fetch.ErrConnection:
		return true
	}
	return false
}

// ask says a step that asks for attributes; known tells whether the server speaks Gopher+.
func (x *exchange) ask(ctx context.Context, s fetch.Step) (at attributes, known bool, err error) {
	a, err := x.say(ctx, s)
	if err != nil {
		return at, false, err
	}
	defer a.Close()
	if err := a.first(); err != nil {
		return at, false, err
	}
	h, ok := a.head()
	switch {
	case !ok:
		return at, false, a.judge()
	case h.fails:
		_, err := a.plusFailure(h)
		return at, true, err
	}
	d := fetch.NewDocument(nil)
	a.limit(d, h)
	at, err = readAttributes(d.Body, x.env.Limits().Line)
	return at, true, err
}

// say sends one step over a connection of its own, which is all that a gopher connection can do.
func (x *exchange) say(ctx context.Context, s fetch.Step) (*answer, error) {
	c, err := x.env.Dial(ctx, "tcp", x.plan.Addr, &fetch.DialOptions{TLS: x.tls == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	if err := c.SendAs(fetch.LinesWithData, s); err != nil {
		c.Close()
		return nil, err
	}
	c.Record(fetch.RecordOctets)
	return &answer{conn: c}, nil
}

// plainDocument makes a document of an answer without status.
func plainDocument(r *gopherURI, a *answer, env *fetch.Env) (*fetch.Document, error) {
	if err := a.judge(); err != nil {
		return nil, err
	}
	d := fetch.NewDocument(a)
	d.Type, d.TypeReason = documentType(r.item(), string(r.Selector), a.ahead)
	d.End = fetch.EndClosed
	switch {
	case isMenu(r.item()):
		d.Body = newText(a, d, env.Limits().Line)
		d.ListWith(newMenu(r, d, env.Limits().Line).entries)
	case isLines(r.item()):
		d.Body = newText(a, d, 0)
	}
	return d, nil
}
