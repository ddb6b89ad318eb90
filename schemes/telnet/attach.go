package telnet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/schemes/internal/terminal"
)

// attach connects a terminal to the host until one of them ends.
func (r request) attach(ctx context.Context, p *fetch.Plan, env *fetch.Env, t *fetch.Terminal) error {
	defer t.In.Close()
	s, err := r.dial(ctx, p, env)
	if err != nil {
		return err
	}
	if s.term == "" {
		s.term = t.Type
	}
	if t.Size != nil {
		s.size = t.Size
	}
	return terminal.Couple(t.In, t.Resized, &attached{host: s, ctx: ctx, t: t, over: make(chan struct{})})
}

// attached is the host of a terminal.
type attached struct {
	*host
	ctx  context.Context
	t    *fetch.Terminal
	line terminal.Line

	end  sync.Once
	over chan struct{} // closed when the session is to end
}

// Listen shows the host's output. A session may be silent for any length of time.
func (a *attached) Listen() error {
	buf := make([]byte, 32<<10)
	for {
		output, err := a.read(a.ctx, buf)
		if len(output) > 0 {
			a.flow.Wait(a.ctx, a.over)
			if _, err := a.t.Out.Write(output); err != nil {
				return fetch.Errorf(fetch.ErrLocal, "cannot write to the terminal: %w", err)
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

// Type sends p. If the terminal has a size, its input comes from a user, whose keys may stop the output. A user edits a line here if the host does
// not echo (RFC 854's NVT). Other input is sent at once, with Enter as the end of a line.
func (a *attached) Type(p []byte) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.t.Size != nil {
		p = a.flow.Keys(p)
	}
	switch lines := !a.Stream.On(nvt.Them, nvt.Echo) && !a.Stream.On(nvt.Us, nvt.Binary); {
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
	_, err := a.Conn.Write(a.Stream.Escape(nil, p))
	return err
}

// Resize sends the size if the host asked for it.
func (a *attached) Resize() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if !a.Stream.On(nvt.Us, nvt.NAWS) {
		return nil
	}
	a.sendSize()
	return a.Flush()
}

// Hangup ends Listen.
func (a *attached) Hangup() {
	a.end.Do(func() { close(a.over) })
	a.Conn.Close()
}
