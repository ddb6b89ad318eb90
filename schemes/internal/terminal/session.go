package terminal

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"example.org/deref/fetch"
)

// A Session shows the output of a host. It has two methods of a Host.
type Session struct {
	Ctx      context.Context
	Terminal *fetch.Terminal
	Flow     *Flow
	Open     context.Context // done when the session has ended, or is to end

	conn *fetch.Conn
	end  context.CancelFunc
	out  sync.Mutex // of Terminal.Out
}

// NewSession returns a Session that ends with ctx or with Hangup.
func NewSession(ctx context.Context, c *fetch.Conn, t *fetch.Terminal, f *Flow) *Session {
	s := &Session{Ctx: ctx, Terminal: t, Flow: f, conn: c}
	s.Open, s.end = context.WithCancel(ctx)
	return s
}

// Heard returns the error of a read from the host, except that of silence: a session may be silent for any length of time. A timeout of what is sent
// ends it.
func (s *Session) Heard(err error) error {
	if fetch.KindOf(err) != fetch.ErrTimeout || s.Ctx.Err() != nil {
		return err
	}
	s.conn.BeginBody()
	return nil
}

// Show shows what read returns until the session ends, unchanged.
func (s *Session) Show(read func(buf []byte) ([]byte, error)) error {
	defer s.end()
	buf := make([]byte, 32<<10)
	for {
		output, err := read(buf)
		if len(output) > 0 {
			s.Flow.Wait(s.Open)
			if err := s.Write(output); err != nil {
				return fetch.Errorf(fetch.ErrLocal, "cannot write to the terminal: %w", err)
			}
		}
		switch {
		case err == nil:
		case err == io.EOF, errors.Is(err, net.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

// Write writes to the terminal. It is used by the goroutine that shows the host's output and the one that handles the user's input.
func (s *Session) Write(p []byte) error {
	s.out.Lock()
	defer s.out.Unlock()
	t := s.Terminal
	_, err := t.Out.Write(p)
	return err
}

// Hangup ends Show.
func (s *Session) Hangup() {
	s.end()
	s.conn.Close()
}
