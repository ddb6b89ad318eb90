package tn3270

import (
	"context"
	"io"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/session"
)

// How long a host must be silent to have finished its screen: behind one that lets the user type, and behind one that does not.
const (
	behindUnlocked = 300 * time.Millisecond
	behindLocked   = 3 * time.Second
)

// Run gives the first screen as the document: its text, or its fields.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	idle, err := idleOf(p.Options)
	if err != nil {
		return nil, err
	}
	if err := env.Announce(p.When("")...); err != nil {
		return nil, err
	}
	h, err := dial(ctx, p, env)
	if err != nil {
		return nil, err
	}
	closed, err := h.first(ctx, idle)
	if err != nil {
		return nil, err
	}
	h.Conn.Close()
	end := io.EOF
	if !closed {
		end = &fetch.Error{Kind: fetch.ErrInteractive, Text: "the host waits for input: this is a session",
			Hint: "`deref session " + p.URI.String() + "` attaches the terminal"}
	}
	d := fetch.NewDocument(&body{strings.NewReader(h.view.text()), end})
	d.Type, d.TypeReason, d.End = "text/x-tn3270; charset=utf-8", "a terminal's first screen", fetch.EndClosed
	d.ListWith(h.view.entries)
	return d, nil
}

// first waits for the first screen.
func (h *host) first(ctx context.Context, idle time.Duration) (closed bool, err error) {
	h.Conn.BeginUntilClose() // all of it is one answer, with one deadline and one limit
	buf := make([]byte, 4096)
	for {
		wait := h.patience(idle)
		end := time.Now().Add(wait)
		if wait == 0 {
			end = time.Time{}
		}
		h.Conn.SetReadDeadline(end)
		err := h.Hear(ctx, buf)
		silent := fetch.KindOf(err) == fetch.ErrTimeout && wait > 0 && !time.Now().Before(end) && ctx.Err() == nil
		switch {
		case err == nil:
		case (silent || err == io.EOF) && h.shown():
			return !silent, nil
		case silent, err == io.EOF && len(h.plain) > 0:
			return false, h.notHere()
		case err == io.EOF:
			return false, fetch.Errorf(fetch.ErrConnection, "the host closed the connection before a screen came")
		default:
			return false, err
		}
	}
}

// shown reports whether there is a screen.
func (h *host) shown() bool { return h.view.writes > 0 && h.view.text() != "" }

// patience is how long the host may be silent now; 0 is as long as the Client waits. idle is what the user wants.
func (h *host) patience(idle time.Duration) time.Duration {
	switch {
	case idle > 0 && h.shown():
		return idle
	case h.shown() && !h.view.locked:
		return behindUnlocked
	case h.shown(), len(h.plain) > 0 && !h.in3270():
		return behindLocked
	}
	return 0
}

// body is a text with an end of its own.
type body struct {
	*strings.Reader
	end error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = b.end
	}
	return n, err
}

// WriteTo is Read's, with its end.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	n, err := b.Reader.WriteTo(w)
	if err == nil && b.end != io.EOF {
		err = b.end
	}
	return n, err
}

func (b *body) Close() error { return nil }

// idleOf reads tn3270.idle; 0 leaves it to what the host says.
func idleOf(o *fetch.Options) (time.Duration, error) {
	d, err := session.Idle(o.Get(setIdle))
	if err != nil {
		return 0, fetch.BadSetting(setIdle, "%s: %v", setIdle, err)
	}
	return d, nil
}
