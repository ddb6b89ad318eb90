package terminal

import (
	"context"
	"errors"
	"io"
	"net"

	"example.org/deref/fetch"
)

// A Session shows the output of a host as it is. It has two methods of a Host.
type Session struct {
	Ctx      context.Context
	Terminal *fetch.Terminal
	Flow     *Flow
	Open     context.Context // done when the session has ended, or is to end

	conn *fetch.Conn
	end  context.CancelFunc
}

// NewSession returns a Session that ends with ctx or with Hangup.
func NewSession(ctx context.Context, c *fetch.Conn, t *fetch.Terminal, f *Flow) *Session {
	s := &Session{Ctx: ctx, Terminal: t, Flow: f, conn: c}
	s.Open, s.end = context.WithCancel(ctx)
	return s
}

// Show shows what read returns until the session ends. It may be silent for any length of time.
func (s *Session) Show(read func(buf []byte) ([]byte, error)) error {
	defer s.end()
	buf, t := make([]byte, 32<<10), s.Terminal
	for {
		output, err := read(buf)
		if len(output) > 0 {
			s.Flow.Wait(s.Open)
			if _, err := t.Out.Write(output); err != nil {
				return fetch.Errorf(fetch.ErrLocal, "cannot write to the terminal: %w", err)
			}
		}
		switch {
		case err == nil:
		case fetch.KindOf(err) == fetch.ErrTimeout && s.Ctx.Err() == nil:
			s.conn.BeginBody()
		case err == io.EOF, errors.Is(err, net.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

// Hangup ends Show.
func (s *Session) Hangup() {
	s.end()
	s.conn.Close()
}
