package telnet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/session"
	"example.org/deref/schemes/internal/telopt"
)

// Attach lets a terminal speak to the host until one of them ends.
func (h handler) Attach(ctx context.Context, p *fetch.Plan, env *fetch.Env, t *fetch.Terminal) error {
	defer t.In.Close()
	if err := env.Announce(p.When("")...); err != nil {
		return err
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
	return session.Couple(t.In, t.Resized, &attached{host: s, ctx: ctx, t: t, over: make(chan struct{})})
}

// attached is the far end of the terminal.
type attached struct {
	*host
	ctx  context.Context
	t    *fetch.Terminal
	line session.Line

	end  sync.Once
	over chan struct{} // closed when the session is to end
}

// Listen shows what the host says. A session may be silent for as long as its people like.
func (a *attached) Listen() error {
	buf := make([]byte, 32<<10)
	for {
		said, err := a.hear(a.ctx, buf)
		if len(said) > 0 {
			a.flow.Wait(a.ctx, a.over)
			if _, err := a.t.Out.Write(said); err != nil {
				return fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
			}
		}
		switch {
		case err == nil:
		case fetch.KindOf(err) == fetch.ErrTimeout && a.ctx.Err() == nil:
			a.Conn.BeginBody()
		case err == io.EOF, errors.Is(err, net.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

// Type sends what was typed. A person, whose terminal has a size, has keys that stop what the host says, and signals, where these are
// to be taken here.
func (a *attached) Type(p []byte) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.t.Size == nil {
		return a.typed(p)
	}
	p = a.flow.Keys(p)
	for len(p) > 0 {
		n := slices.IndexFunc(p, func(c byte) bool { return a.lines.command(c) != 0 })
		if n < 0 {
			break
		}
		if err := a.typed(p[:n]); err != nil {
			return err
		}
		if err := a.signal(a.lines.command(p[n])); err != nil {
			return err
		}
		p = p[n+1:]
	}
	return a.typed(p)
}

// typed sends what is no signal. Where lines are edited here (RFC 1184's EDIT, and RFC 854's NVT where the host does not echo), a person
// gets one to edit, and what is no person's is sent as it comes, Enter as the end of a line.
func (a *attached) typed(p []byte) error {
	echo := a.Stream.On(telopt.Them, telopt.Echo)
	lines := !echo && !a.Stream.On(telopt.Us, telopt.Binary)
	if a.Stream.On(telopt.Us, telopt.Linemode) {
		lines = a.lines.mask&modeEdit != 0
	}
	switch {
	case lines && a.t.Size != nil:
		var show []byte
		if p, show = a.line.Type(p); len(show) > 0 && !echo { // an ECHO that edits nothing hides a password
			a.t.Out.Write(show)
		}
	case lines:
		p = bytes.ReplaceAll(p, []byte("\r"), []byte("\n")) // which Escape makes CR LF
	}
	if len(p) == 0 {
		return nil
	}
	_, err := a.Conn.Write(a.Stream.Escape(nil, p))
	return err
}

// signal sends a command in place of a key. What is still to be edited goes before it, but for a signal, which the line is not meant to
// outlive.
func (a *attached) signal(command byte) error {
	line := a.line.Take()
	if command == telopt.EOF && len(line) > 0 {
		if _, err := a.Conn.Write(a.Stream.Escape(nil, line)); err != nil {
			return err
		}
	}
	a.Stream.Say(command)
	return a.Flush()
}

// Resize tells the host, if it wanted to know.
func (a *attached) Resize() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if !a.Stream.On(telopt.Us, telopt.NAWS) {
		return nil
	}
	a.tellSize()
	return a.Flush()
}

// Hangup ends Listen.
func (a *attached) Hangup() {
	a.end.Do(func() { close(a.over) })
	a.Conn.Close()
}

var _ fetch.Attacher = handler{}
