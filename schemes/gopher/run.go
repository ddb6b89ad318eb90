package gopher

import (
	"context"

	"example.org/deref/fetch"
)

// Run says the line and looks at the first octets of the answer.
func (h *handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := read(p.URI, p.Options.Mode)
	if err != nil {
		return nil, err
	}
	a, err := h.say(ctx, p.When("")[0], p, env)
	if err != nil {
		return nil, err
	}
	d, err := plainDocument(r, a, env)
	if err != nil {
		a.Close()
	}
	return d, err
}

// say sends one step over a connection of its own, which is all that a gopher connection can do.
func (h *handler) say(ctx context.Context, s fetch.Step, p *fetch.Plan, env *fetch.Env) (*answer, error) {
	c, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{TLS: h.tls == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	env.Say(s)
	if _, err := c.Write([]byte(s.Line() + "\r\n" + s.Data)); err != nil {
		c.Close()
		return nil, err
	}
	c.Record(fetch.RecordOctets)
	return &answer{conn: c}, nil
}

// plainDocument makes a document of an answer without status.
func plainDocument(r *reading, a *answer, env *fetch.Env) (*fetch.Document, error) {
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
