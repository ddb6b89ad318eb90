package rlogin

import (
	"cmp"
	"context"
	"strconv"
	"sync/atomic"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/terminal"
)

// attach connects a terminal to the host until one of them ends.
func (request) attach(ctx context.Context, p *fetch.Plan, env *fetch.Env, t *fetch.Terminal) error {
	defer t.In.Close()
	h := &host{env: env, plan: p, t: t}
	h.flow.Set(t.Size != nil) // RFC 1282 "Window": the client handles the two keys at first
	c, err := open(ctx, p, env, h.urgent)
	if err != nil {
		return err
	}
	c.BeginBody()
	h.conn, h.Session = c, terminal.NewSession(ctx, c, t, &h.flow)
	if err := h.Resize(); err != nil {
		return err
	}
	return terminal.Couple(t.In, t.Resized, h)
}

// A host is the far end of the terminal.
type host struct {
	*terminal.Session
	conn *fetch.Conn
	env  *fetch.Env
	plan *fetch.Plan
	t    *fetch.Terminal
	flow terminal.Flow

	wants atomic.Bool // the host has asked for the size
}

// Bits of an urgent byte: RFC 1282 "TCP urgent data".
const (
	flushOutput = 0x02
	rawKeys     = 0x10
	cookedKeys  = 0x20
	wantsSize   = 0x80
)

// urgent handles an urgent byte. It is called from within a read, so the reader sends the size. It reports whether to drop earlier output.
func (h *host) urgent(octet byte) (drop bool) {
	if octet&(rawKeys|cookedKeys) != 0 {
		h.flow.Set(octet&cookedKeys != 0 && h.t.Size != nil)
	}
	if octet&wantsSize != 0 {
		h.wants.Store(true)
	}
	return octet&flushOutput != 0
}

// Listen shows the host's output.
func (h *host) Listen() error {
	return h.Show(func(buf []byte) ([]byte, error) {
		n, err := h.conn.Read(buf)
		err = h.Heard(err)
		if h.wants.Swap(false) {
			err = cmp.Or(h.Resize(), err)
		}
		return buf[:n], err
	})
}

// Type sends p without the keys that stop and start the output.
func (h *host) Type(p []byte) error {
	if p = h.flow.Keys(p); len(p) == 0 {
		return nil
	}
	_, err := h.conn.Write(p)
	return err
}

// Resize sends the size: two bytes 0xff, two letters, and four 16-bit numbers, rows, columns and two unused ones (RFC 1282 "Window size
// change").
func (h *host) Resize() error {
	if h.t.Size == nil {
		return nil
	}
	cols, rows := h.t.Size()
	cols, rows = max(0, min(cols, 0xffff)), max(0, min(rows, 0xffff))
	for _, step := range h.plan.When(ifWindow) {
		step.Args = []string{strconv.Itoa(rows), strconv.Itoa(cols)}
		if err := h.env.Announce(step); err != nil {
			return err
		}
	}
	_, err := h.conn.Write([]byte{0xff, 0xff, 's', 's', byte(rows >> 8), byte(rows), byte(cols >> 8), byte(cols), 0, 0, 0, 0})
	return err
}
