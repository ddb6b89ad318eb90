package telnet

import (
	"context"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/session"
)

// Run gives the first screen as the document. Nothing has been typed when it ends.
func (h handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	idle, err := idleOf(p.Options)
	if err != nil {
		return nil, err
	}
	if err := env.Announce(p.When("")...); err != nil {
		return nil, err
	}
	s, err := dial(ctx, p, env)
	if err != nil {
		return nil, err
	}
	s.Conn.BeginUntilClose() // all of it is one answer, with one deadline and one limit
	buf := make([]byte, 4096)
	b := &session.Screen{
		Idle:  idle,
		Waits: interactive(p),
		Void:  fetch.Errorf(fetch.ErrConnection, "the host closed the connection before it said anything"),
		Stop:  s.Conn.Close,
		Hear: func(wait time.Duration) ([]byte, bool, error) {
			silent := s.within(ctx, wait)
			said, err := s.hear(ctx, buf)
			return said, silent(err), err
		},
	}
	if err := b.Begin(); err != nil {
		return nil, err
	}
	d := fetch.NewDocument(b)
	d.Type, d.TypeReason, d.End = "text/plain", "a terminal's first screen", fetch.EndClosed
	return d, nil
}

// within lets the next read wait for so long, 0 as long as the Client does. The function that it returns tells this end of waiting
// from the Client's.
func (s *host) within(ctx context.Context, wait time.Duration) (silent func(error) bool) {
	var end time.Time
	if wait > 0 {
		end = time.Now().Add(wait)
	}
	s.Conn.SetReadDeadline(end)
	return func(err error) bool {
		return fetch.KindOf(err) == fetch.ErrTimeout && wait > 0 && !time.Now().Before(end) && ctx.Err() == nil
	}
}

// interactive is how a screen ends: the document that was asked for is a session.
func interactive(p *fetch.Plan) error {
	return &fetch.Error{Kind: fetch.ErrInteractive, Text: "the host waits for input: this is a session",
		Hint: "`deref session " + p.URI.String() + "` attaches the terminal"}
}

// idleOf reads telnet.idle; 0 leaves it to what the host says.
func idleOf(o *fetch.Options) (time.Duration, error) {
	d, err := session.Idle(o.Get(setIdle))
	if err != nil {
		return 0, fetch.Errorf(fetch.ErrUnsupported, "%s: %w", setIdle, err)
	}
	return d, nil
}
