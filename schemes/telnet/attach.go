package telnet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/session"
	"example.org/deref/schemes/internal/telopt"
)

// Attach lets a terminal speak to the host until one of them ends.
func (h handler) Attach(ctx context.Context, p *fetch.Plan, env *fetch.Env, t *fetch.Terminal) error {
	defer t.In.Close()
	for _, step := range p.When("") {
		env.Say(step)
	}
	s, err := dial(ctx, p, env)
	if err != nil {
		return err
	}
	if s.term == "" {
		s.term = t.Type
	}
	if t.Size != nil {
		s.size = t.Size
	}
	return session.Couple(t.In, t.Resized, &attached{host: s, ctx: ctx, t: t})
}

// attached is the far end of the terminal.
type attached struct {
	*host
	ctx  context.Context
	t    *fetch.Terminal
	line session.Line
}

// Listen shows what the host says. A session may be silent for as long as its people like.
func (a *attached) Listen() error {
	buf := make([]byte, 32<<10)
	for {
		said, err := a.hear(a.ctx, buf)
		if len(said) > 0 {
			if _, err := a.t.Out.Write(said); err != nil {
				return fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
			}
		}
		switch {
		case err == nil:
		case fetch.KindOf(err) == fetch.ErrTimeout && a.ctx.Err() == nil:
			a.conn.Stream()
		case err == io.EOF, errors.Is(err, net.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

// Type sends what was typed. Where the host does not echo, it takes lines, as RFC 854's NVT does: a person's terminal gets a line to
// edit, and what is no person's (it has no size) is sent as it comes, Enter as the end of a line.
func (a *attached) Type(p []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch lines := !a.stream.On(telopt.Them, telopt.Echo) && !a.stream.On(telopt.Us, telopt.Binary); {
	case lines && a.t.Size != nil:
		var show []byte
		if p, show = a.line.Type(p); len(show) > 0 {
			a.t.Out.Write(show)
		}
	case lines:
		p = bytes.ReplaceAll(p, []byte("\r"), []byte("\n")) // which Escape makes CR LF
	}
	if len(p) == 0 {
		return nil
	}
	_, err := a.conn.Write(a.stream.Escape(nil, p))
	return err
}

// Resize tells the host, if it wanted to know.
func (a *attached) Resize() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stream.On(telopt.Us, telopt.NAWS) {
		return nil
	}
	a.tellSize()
	return a.flush()
}

// Hangup ends Listen.
func (a *attached) Hangup() { a.conn.Close() }

var _ fetch.Attacher = handler{}
