package http

import (
	"context"

	"example.org/deref/fetch"
)

// Run says the request and reads the answer's head.
func (h *handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	x := &exchange{plan: p, env: env}
	steps := p.When("")
	for _, s := range steps {
		env.Say(s)
	}
	if err := h.converse(ctx, x, steps); err != nil {
		return nil, err
	}
	return x.document()
}

// An exchange is one request and its answer.
type exchange struct {
	plan *fetch.Plan
	env  *fetch.Env
	s    *session
	done func(reuse bool)
	head head
	size int64 // octets of the body, or unknown, or chunked
}

// converse leases a connection, sends the request and reads the answer's head. A kept connection that its server has closed in
// the meantime gives no answer at all; the request, which is a safe one, is then sent on another (RFC 9112 section 9.3.1).
func (h *handler) converse(ctx context.Context, x *exchange, steps []fetch.Step) error {
	for {
		s, done, err := fetch.Lease(ctx, x.env, "", h.open(x.env, x.plan.Addr))
		if err != nil {
			return err
		}
		used := s.used
		s.used = true
		x.s, x.done = s, done
		err = x.ask(steps)
		if err == nil {
			return nil
		}
		done(false)
		if !used || fetch.KindOf(err) != fetch.ErrConnection || ctx.Err() != nil {
			return err
		}
	}
}

// ask sends the request and reads the head of the final answer.
func (x *exchange) ask(steps []fetch.Step) error {
	c := x.s.conn
	c.Record(fetch.RecordHead)
	if _, err := c.Write(octets(steps)); err != nil {
		return err
	}
	c.Turn()
	if err := x.readHead(); err != nil {
		return err
	}
	c.Stream()
	return nil
}

// octets are the lines of the steps as they are sent. The Simple-Request of HTTP/0.9 is one line without a header to end.
func octets(steps []fetch.Step) []byte {
	b := make([]byte, 0, 512)
	for _, s := range steps {
		b = append(b, s.Verb...)
		for _, a := range s.Args {
			b = append(append(b, ' '), a...)
		}
		b = append(b, '\r', '\n')
	}
	if isSimple(steps) {
		return b
	}
	return append(b, '\r', '\n')
}

func isSimple(steps []fetch.Step) bool { return len(steps) == 1 && len(steps[0].Args) == 1 }
