package telnet

import (
	"context"
	"io"
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
	for _, step := range p.When("") {
		env.Say(step)
	}
	s, err := dial(ctx, p, env)
	if err != nil {
		return nil, err
	}
	s.conn.Turn() // all of it is one answer, with one deadline and one limit
	b := &screen{s: s, ctx: ctx, idle: time.Duration(idle * float64(time.Second)), blank: true, buf: make([]byte, 4096)}
	for b.blank && b.err == nil {
		b.fill()
	}
	if b.blank {
		return nil, b.err
	}
	d := fetch.NewDocument(b)
	d.Type, d.TypeReason, d.End = "text/plain", "a terminal's first screen", fetch.EndClosed
	return d, nil
}

// A screen is the Body: what the host says until it waits.
type screen struct {
	s     *host
	ctx   context.Context
	idle  time.Duration // how long the host must be silent, 0 by what it said
	blank bool          // nothing to be seen has come
	text  []byte        // what Read has not given out
	tail  byte          // the last octet that came
	buf   []byte
	err   error
}

func (b *screen) Read(p []byte) (int, error) {
	for len(b.text) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.fill()
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

// fill reads once. A silence ends the screen, as soon as there is one.
func (b *screen) fill() {
	var end time.Time
	if !b.blank {
		wait := b.idle
		if wait == 0 {
			wait = session.Patience([]byte{b.tail})
		}
		end = time.Now().Add(wait)
	}
	b.s.conn.SetReadDeadline(end)
	said, err := b.s.hear(b.ctx, b.buf)
	if n := len(said); n > 0 {
		b.text, b.tail = append(b.text, said...), said[n-1]
		b.blank = b.blank && session.Blank(said)
	}
	switch {
	case err == io.EOF && b.blank:
		err = fetch.Errorf(fetch.ErrConnection, "the host closed the connection before it said anything")
	case fetch.KindOf(err) == fetch.ErrTimeout && !end.IsZero() && !time.Now().Before(end) && b.ctx.Err() == nil:
		err = interactive(b.s.plan)
	}
	b.err = err
}

func (b *screen) Close() error { return b.s.conn.Close() }

// interactive is how a screen ends: the document that was asked for is a session.
func interactive(p *fetch.Plan) error {
	return &fetch.Error{Kind: fetch.ErrInteractive, Text: "the host waits for input: this is a session",
		Hint: "`deref session " + p.URI.String() + "` attaches the terminal"}
}
