package http

import (
	"context"
	"io"
	"slices"

	"example.org/deref/fetch"
)

// Run says the request, says it again with the answer to the server's challenge if there is one, and makes of the answer a document.
func (h *handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	x := &exchange{ctx: ctx, handler: h, plan: p, env: env}
	if h.cfg.Jar != nil {
		env.HideField("Set-Cookie") // what the jar takes is a credential from then on
	}
	if x.recall() {
		return x.document()
	}
	if err := x.onlyCached(); err != nil {
		return nil, err
	}
	said := x.foreseen()
	if err := x.remember(x.converse(said), said); err != nil {
		return nil, err
	}
	for tries := 0; x.head.status == 401 && (tries == 0 || tries == 1 && x.isStale(said)); tries++ {
		answer := x.answer(said)
		if len(answer) == 0 {
			break
		}
		if err := x.skip(); err != nil {
			return nil, err
		}
		if err := x.converse(answer); err != nil {
			return nil, err
		}
		said = answer
	}
	x.loggedIn(said)
	return x.document()
}

// An exchange is one request and its answer.
type exchange struct {
	ctx     context.Context
	handler *handler
	plan    *fetch.Plan
	env     *fetch.Env
	s       *session
	done    func(reuse bool)
	head    head
	size    int64         // octets of the body, or untilClose, or chunked, or framed
	stream  io.ReadCloser // the body, if framed
	memory  *memory       // nil without a cache

	challenge *answered // of Digest, to which the last request had the answer
}

// converse leases a connection, says the lines, those of the Plan if there are none, and reads the answer's head. A kept connection that
// its server has closed in the meantime gives no answer at all; the request, which is a safe one, is then sent on another (RFC 9112
// section 9.3.1).
func (x *exchange) converse(lines []fetch.Step) error {
	for {
		s, done, err := fetch.Lease(x.ctx, x.env, x.plan.Options.Get(setVersion)+x.plan.Steps[0].At, x.open)
		if err != nil {
			return err
		}
		used := s.used
		s.used = true
		x.s, x.done = s, done
		all := x.withValidators(x.withCookies(x.agreed(lines)))
		x.hide(all)
		if err = x.ask(all); err == nil {
			x.keepCookies()
			return nil
		}
		done(false)
		if !used || fetch.KindOf(err) != fetch.ErrConnection || x.ctx.Err() != nil {
			return err
		}
	}
}

// agreed are the lines in the version that was agreed on for the connection.
func (x *exchange) agreed(lines []fetch.Step) []fetch.Step {
	if len(lines) == 0 {
		first, rest := x.plan.When(x.s.version()), x.plan.When("")
		if len(first) == 0 {
			return rest
		}
		return append(first[:1:1], rest...)
	}
	if len(lines[0].Args) == 2 && lines[0].Args[1] == anyVersion {
		lines = slices.Clone(lines)
		lines[0].Args = []string{lines[0].Args[0], x.plan.When(x.s.version())[0].Args[1]}
	}
	return lines
}

// ask sends the request and reads the head of the final answer.
func (x *exchange) ask(lines []fetch.Step) error {
	if x.s.h2 != nil {
		return x.askH2(lines)
	}
	c := x.s.conn
	c.Record(fetch.RecordHead)
	if err := c.SendAs(octets, lines...); err != nil {
		return err
	}
	c.BeginReply()
	if err := x.readHead(); err != nil {
		return err
	}
	c.BeginBody()
	return nil
}

// octets appends the lines of the steps as they are sent. The Simple-Request of HTTP/0.9 is one line without a header to end.
func octets(b []byte, lines []fetch.Step) []byte {
	for _, s := range lines {
		b = append(b, s.Verb...)
		for _, a := range s.Args {
			b = append(append(b, ' '), a...)
		}
		b = append(b, '\r', '\n')
	}
	if isSimple(lines) {
		return b
	}
	return append(b, '\r', '\n')
}

func isSimple(lines []fetch.Step) bool { return len(lines) == 1 && len(lines[0].Args) == 1 }
