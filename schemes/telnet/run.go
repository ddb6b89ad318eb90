package telnet

import (
	"context"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/terminal"
)

// run returns the first screen as the document. It types nothing.
func (r request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	h, err := r.dial(ctx, p, env)
	if err != nil {
		return nil, err
	}
	h.Conn.BeginUntilClose() // the screen is one reply, with one deadline and one limit
	buf := make([]byte, 4096)
	return r.FirstScreen(p, h.Conn, func(wait time.Duration) ([]byte, bool, error) {
		silent := terminal.WaitAtMost(ctx, h.Conn, wait)
		output, err := h.read(ctx, buf)
		return output, silent(err), err
	})
}
