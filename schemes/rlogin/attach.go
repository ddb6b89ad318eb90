package rlogin

import (
	"context"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/session"
)

// Attach lets a terminal speak to the host until one of them ends.
func (handler) Attach(ctx context.Context, p *fetch.Plan, env *fetch.Env, t *fetch.Terminal) error {
	defer t.In.Close()
	c, err := open(ctx, p, env)
	if err != nil {
		return err
	}
	c.Stream()
	h := &host{ctx: ctx, conn: c, env: env, plan: p, t: t}
	if err := h.Resize(); err != nil {
		return err
	}
	return session.Couple(t.In, t.Resized, h)
}

// A host is the far end of the terminal.
type host struct {
	ctx  context.Context
	conn *fetch.Conn
	env  *fetch.Env
	plan *fetch.Plan
	t    *fetch.Terminal
}

// Listen shows what the host says. A session may be silent for as long as its people like.
func (h *host) Listen() error {
	buf := make([]byte, 32<<10)
	for {
		n, err := h.conn.Read(buf)
		if n > 0 {
			if _, err := h.t.Out.Write(buf[:n]); err != nil {
				return fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
			}
		}
		switch {
		case err == nil:
		case fetch.KindOf(err) == fetch.ErrTimeout && h.ctx.Err() == nil:
			h.conn.Stream()
		case over(err):
			return nil
		default:
			return err
		}
	}
}

// Type sends the octets as they are.
func (h *host) Type(p []byte) error {
	_, err := h.conn.Write(p)
	return err
}

// Resize tells the size: two octets of all ones, two letters, and rows, columns and two unused numbers of 16 bits (RFC 1282 "Window
// size change").
func (h *host) Resize() error {
	if h.t.Size == nil {
		return nil
	}
	cols, rows := h.t.Size()
	cols, rows = max(0, min(cols, 0xffff)), max(0, min(rows, 0xffff))
	for _, step := range h.plan.When(ifWindow) {
		step.Args = []string{strconv.Itoa(rows), strconv.Itoa(cols)}
		h.env.Say(step)
	}
	_, err := h.conn.Write([]byte{0xff, 0xff, 's', 's', byte(rows >> 8), byte(rows), byte(cols >> 8), byte(cols), 0, 0, 0, 0})
	return err
}

// Hangup ends Listen.
func (h *host) Hangup() { h.conn.Close() }

var _ fetch.Attacher = handler{}
