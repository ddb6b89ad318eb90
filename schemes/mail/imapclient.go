package mail

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	wire "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"example.org/deref/fetch"
)

// session is an IMAP session: all that the scheme does by the library, which is still a beta, stands
// in the files imapclient*.go.
type session struct {
	guard  *guard
	client *imapclient.Client
	limits fetch.Limits
	broken bool // the conversation is over, or its end is not in sight
	used   bool // an earlier request had it

	mu    sync.Mutex   // one goroutine at a time takes what the library's reader hands over
	drain func() error // takes the rest of it
}

func newSession(ctx context.Context, env *fetch.Env, conn *fetch.Conn, greeting string) *session {
	g := newGuard(conn, env, greeting)
	g.serve(ctx)
	return &session{guard: g, client: imapclient.New(g, nil), limits: env.Limits()}
}

// Close ends the connection, and the library's reader, which waits until somebody has taken what it read.
func (s *session) Close() error {
	s.guard.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
	if s.drain != nil {
		s.drain()
		s.drain = nil
	}
	return s.client.Close()
}

// take calls f unless the session is closed; f may wait for the server.
func (s *session) take(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return net.ErrClosed
	}
	return s.guard.call(f)
}

// fail gives an error of the library its kind: what ended the connection outranks what the library made of it.
func (s *session) fail(err error, what string) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return statusError(string(e.Type), string(e.Code), e.Text, what)
	}
	bye, ended := s.guard.state()
	switch {
	case bye != "" && (ended == nil || ended == io.EOF):
		return fetch.Errorf(fetch.ErrUnavailable, "the server says: %s", clip(bye))
	case ended != nil:
		return unfinished(ended)
	case fetch.KindOf(err) != "":
		return err
	}
	return fetch.Errorf(fetch.ErrProtocol, "%s", clip(err.Error()))
}

// unfinished is what the end of the connection is where something was to come.
func unfinished(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection within a reply: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// statusError gives NO and BAD their kind: RFC 9051 section 7.1, RFC 5530.
func statusError(status, code, text, what string) error {
	kind := fetch.ErrRefused
	switch {
	case status == "BAD":
		kind = fetch.ErrProtocol
	case code == "AUTHENTICATIONFAILED", code == "AUTHORIZATIONFAILED", code == "EXPIRED", code == "PRIVACYREQUIRED":
		kind = fetch.ErrAuth
	case code == "UNAVAILABLE", code == "INUSE", code == "CONTACTADMIN", code == "LIMIT":
		kind = fetch.ErrUnavailable
	case what == "LOGIN":
		kind = fetch.ErrAuth
	case code == "NONEXISTENT", code == "TRYCREATE", what == "EXAMINE" && code == "":
		kind = fetch.ErrNotFound
	}
	if code != "" {
		text = "[" + code + "] " + text
	}
	return fetch.Errorf(kind, "the server answers %s to %s: %s", status, what, clip(text))
}

// each yields what next finds, and the error of the command at its end. It reports whether there may be more commands.
func each[T any](s *session, err error, verb string, yield func(T, error) bool, next func() (T, bool, error)) bool {
	var none T
	for more := true; err == nil && more; {
		var v T
		err = s.take(func() (err error) {
			if v, more, err = next(); err != nil {
				// QUIRK: after an error within a literal the library's reader has gone on by itself; what takes the rest would read
				// the same buffer beside it.
				s.drain = nil
			}
			if err != nil || more {
				s.guard.grant(0)
				return err
			}
			err, s.drain = s.drain(), nil
			return err
		})
		if err == nil && more && !yield(v, nil) {
			return false
		}
	}
	if err != nil {
		yield(none, s.fail(err, verb))
	}
	return err == nil
}
