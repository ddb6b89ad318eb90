package telnet

import (
	"bytes"
	"context"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
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
	a := &attached{host: s, Session: terminal.NewSession(ctx, s.Conn, t, &s.flow)}
	a.host.Heard = a.Session.Heard
	a.script = lineproto.NewTextWriter(&a.typed)
	return terminal.Couple(t.In, t.Resized, a)
}

// attached is the host of a terminal.
type attached struct {
	*host
	*terminal.Session
	line   terminal.Line
	script *lineproto.LineWriter // to typed
	typed  bytes.Buffer
}

// Listen shows the host's output.
func (a *attached) Listen() error {
	return a.Show(func(buf []byte) ([]byte, error) { return a.read(a.Ctx, buf) })
}

// Type sends p. If the terminal has a size, its input comes from a user, whose keys may stop the output. A user edits a line here if the host does
// not echo (RFC 854's NVT). Other input is sent at once, with Enter as the end of a line.
func (a *attached) Type(p []byte) error {
	if err := a.AwaitTLS(a.Open); err != nil {
		return err
	}
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.Terminal.Size != nil {
		p = a.flow.Keys(p)
	}
	switch lines := !a.Stream.On(nvt.Them, nvt.Echo) && !a.Stream.On(nvt.Us, nvt.Binary); {
	case lines && a.Terminal.Size != nil:
		var show []byte
		if p, show = a.line.Type(p); len(show) > 0 {
			a.Write(show)
		}
	case lines:
		a.script.Write(p)
		p = a.typed.Next(a.typed.Len())
	default:
		p = append(a.line.Rest(), p...)
	}
	a.Stream.Type(p)
	return a.Flush()
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
