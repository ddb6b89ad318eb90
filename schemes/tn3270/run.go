package tn3270

import (
	"context"
	"io"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/terminal"
)

// How long a host must be silent before its screen counts as complete: if the keyboard is unlocked, and if it is locked.
const (
	afterUnlocked = 300 * time.Millisecond
	afterLocked   = 3 * time.Second
)

// run returns the first screen as the document: its text, with its fields as entries.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	h, err := r.dial(ctx, p, env)
	if err != nil {
		return nil, err
	}
	closed, err := h.firstScreen(ctx, r.Idle)
	if err != nil {
		return nil, err
	}
	h.Conn.Close()
	end := io.EOF
	if !closed {
		end = terminal.Interactive(p)
	}
	last := pieces.NewReader(func() ([]byte, error) { return nil, end })
	d := fetch.NewDocument(io.NopCloser(io.MultiReader(strings.NewReader(h.view.text()), last)))
	d.Type, d.TypeReason, d.End = "text/x-tn3270; charset=utf-8", "a terminal's first screen", fetch.EndClosed
	d.ListWith(h.view.entries)
	return d, nil
}

// firstScreen waits for the first screen, and reports whether the host closed the connection after it.
func (h *host) firstScreen(ctx context.Context, idle time.Duration) (closed bool, err error) {
	h.Conn.BeginUntilClose() // the screen is one reply, with one deadline and one limit
	buf := make([]byte, 4096)
	for {
		wasSilent := terminal.WaitAtMost(ctx, h.Conn, h.patience(idle))
		err := h.Read(ctx, buf)
		silent := wasSilent(err)
		switch {
		case err == nil:
		case (silent || err == io.EOF) && h.shown():
			return !silent, nil
		case silent, err == io.EOF && len(h.plain) > 0:
			return false, h.no3270()
		case err == io.EOF:
			return false, fetch.Errorf(fetch.ErrConnection, "the host closed the connection before it sent a screen")
		default:
			return false, err
		}
	}
}

// shown reports whether there is a screen.
func (h *host) shown() bool { return h.view.writes > 0 && h.view.text() != "" }

// patience returns how long the host may be silent now, 0 for as long as the Client allows. idle is the user's setting, or 0.
func (h *host) patience(idle time.Duration) time.Duration {
	switch {
	case idle > 0 && h.shown():
		return idle
	case h.shown() && !h.view.locked:
		return afterUnlocked
	case h.shown(), len(h.plain) > 0 && !h.in3270():
		return afterLocked
	}
	return 0
}
