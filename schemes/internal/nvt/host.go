package nvt

import (
	"context"
	"sync"

	"example.org/deref/fetch"
)

// ifStartTLS is the condition of the step that begins TLS. If a Plan lacks it, the Host refuses START_TLS.
const ifStartTLS = "the host asks DO START_TLS"

// PlanTLS plans TLS from the first byte if implicit is set, and otherwise by the setting ssl: START_TLS is refused if that is never, accepted if the host
// requests it, and necessary if it is require.
func PlanTLS(p *fetch.Plan, ssl string, implicit bool) {
	switch {
	case implicit:
		p.TLS = fetch.ImplicitTLS
		return
	case ssl == "never":
		return
	case ssl == "require":
		p.TLS = fetch.ExplicitTLS
	}
	p.Steps = append(p.Steps, fetch.Step{Verb: "IAC SB START_TLS FOLLOWS", If: ifStartTLS})
}

// follows is the only word of START_TLS (section 2 of the draft).
const follows = 1

// A Host is a connection to a host.
type Host struct {
	Env  *fetch.Env
	Plan *fetch.Plan
	Conn *fetch.Conn

	Heard func(error) error // if not nil, returns the error of Read for that of the connection

	Mu     sync.Mutex // guards Stream, its Handler's state, and the following fields
	Stream *Stream

	sending bool      // a Flush is writing
	sent    sync.Cond // signals that none is, or that it has taken the output
	fault   error     // of Announce
	handler Handler
	secure  bool          // the host has agreed to TLS
	clear   bool          // it sent something else before TLS
	inside  chan struct{} // closed when TLS has begun by START_TLS
}

// Dial connects to p's host. handler's methods are called with Mu held. It does not see START_TLS if the Plan has a step for it.
func Dial(ctx context.Context, p *fetch.Plan, env *fetch.Env, handler Handler) (*Host, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{TLS: p.TLS == fetch.ImplicitTLS, Record: fetch.RecordOctets})
	if err != nil {
		return nil, err
	}
	h := &Host{Env: env, Plan: p, Conn: c, handler: handler, inside: make(chan struct{})}
	h.sent.L = &h.Mu
	h.restart()
	return h, nil
}

// Read reads once from the host, and sends the answers. If the host agrees to TLS, Read begins TLS.
func (h *Host) Read(ctx context.Context, buf []byte) error {
	n, readErr := h.Conn.Read(buf)
	h.Mu.Lock()
	defer h.Mu.Unlock()
	if err := h.Stream.Receive(buf[:n]); err != nil {
		if fetch.KindOf(err) != "" {
			return err
		}
		return fetch.Errorf(fetch.ErrProtocol, "%w", err)
	}
	switch _, inside := h.Conn.TLS(); {
	case h.refused():
		return fetch.Errorf(fetch.ErrTLS, "the host begins a session without TLS")
	case !inside && h.Plan.TLS == fetch.ExplicitTLS && fetch.KindOf(readErr) == fetch.ErrTimeout:
		return fetch.Errorf(fetch.ErrTLS, "the host does not begin TLS: %w", readErr)
	}
	if err := h.Flush(); err != nil {
		return err
	}
	if h.secure {
		if err := h.begin(ctx); err != nil {
			return err
		}
	}
	if h.Heard != nil {
		return h.Heard(readErr)
	}
	return readErr
}

// begin begins TLS after everything before it was sent. It resets all options (section 3 of the draft).
func (h *Host) begin(ctx context.Context) error {
	for h.sending {
		h.sent.Wait()
	}
	h.secure = false
	if err := h.Env.StartTLS(ctx, h.Conn); err != nil {
		return err
	}
	if err := h.Stream.end(); err != nil {
		return err
	}
	h.restart()
	close(h.inside)
	return nil
}

// AwaitTLS waits for TLS if the Plan requires it, because input that is typed ahead must not be sent before. It returns an error if ctx ends first.
func (h *Host) AwaitTLS(ctx context.Context) error {
	if h.Plan.TLS != fetch.ExplicitTLS {
		return nil
	}
	select {
	case <-h.inside:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// restart begins the negotiation anew.
func (h *Host) restart() {
	h.Stream = New(watcher{h})
	if h.Env.Strict() {
		h.Stream.Odd = func(section, what string) { h.Env.Deviates(section, "the telnet stream", "%s", what) }
	}
}

// Announce announces steps. If one is refused, Flush sends nothing and returns the error. The caller holds Mu.
func (h *Host) Announce(steps ...fetch.Step) {
	if err := h.Env.Announce(steps...); h.fault == nil {
		h.fault = err
	}
}

// maxQueued is how many bytes wait behind a write. A host that requests options without end and reads no answer gets no more.
const maxQueued = 64 << 10

// Flush sends the Stream's output. If another Flush is writing, that one sends it. The caller holds Mu, which Flush releases while it writes: a host
// that echoes may not read until its output is read.
func (h *Host) Flush() error {
	for h.sending {
		if len(h.Stream.out) < maxQueued {
			return nil
		}
		h.sent.Wait()
	}
	h.sending = true
	defer func() { h.sending = false; h.sent.Broadcast() }()
	for h.fault == nil {
		out := h.Stream.Output()
		h.sent.Broadcast()
		if len(out) == 0 {
			return nil
		}
		h.Mu.Unlock()
		_, err := h.Conn.Write(out)
		h.Mu.Lock()
		if err != nil {
			return err
		}
	}
	return h.fault
}

// A watcher is the Stream's Handler. It handles START_TLS and passes the rest on.
type watcher struct{ h *Host }

func (w watcher) Data(p []byte) error {
	w.h.inClear(0)
	if w.h.refused() {
		return nil
	}
	return w.h.handler.Data(p)
}

func (w watcher) Command(cmd byte) error { return w.h.handler.Command(cmd) }

func (w watcher) Agree(side Side, opt byte) bool {
	w.h.inClear(opt)
	if opt == StartTLS && side == Us && w.h.wanted() {
		return true
	}
	return w.h.handler.Agree(side, opt)
}

func (w watcher) Changed(side Side, opt byte, on bool) error {
	if opt != StartTLS || side != Us {
		return w.h.handler.Changed(side, opt, on)
	}
	if on {
		w.h.Announce(w.h.Plan.When(ifStartTLS)...)
		w.h.Stream.Sub(opt, follows)
	}
	return nil
}

func (w watcher) Sub(opt byte, p []byte) error {
	if opt != StartTLS {
		return w.h.handler.Sub(opt, p)
	}
	if len(p) == 0 || p[0] != follows || !w.h.Stream.On(Us, opt) {
		return nil
	}
	if w.h.Stream.Unread() > 0 { // an attacker may have inserted it
		return fetch.Errorf(fetch.ErrProtocol, "the host sent more without TLS after it agreed to TLS")
	}
	w.h.secure = true
	return nil
}

// wanted reports whether to accept START_TLS.
func (h *Host) wanted() bool {
	_, inside := h.Conn.TLS()
	return !inside && len(h.Plan.When(ifStartTLS)) > 0
}

// inClear records that the host sent something without TLS: opt, or 0 for data.
func (h *Host) inClear(opt byte) {
	if _, inside := h.Conn.TLS(); !inside && opt != StartTLS {
		h.clear = true
	}
}

// refused reports whether the host begins a session without TLS although the Plan requires TLS. Its output is not shown then.
func (h *Host) refused() bool { return h.clear && h.Plan.TLS == fetch.ExplicitTLS }

var _ Handler = watcher{}
