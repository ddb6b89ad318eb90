// Package telhost is the conversation with a telnet host that the schemes of telnet and tn3270 share: the connection through telopt's
// Stream, and TLS begun within it by START_TLS (draft-altman-telnet-starttls).
package telhost

import (
	"context"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/telopt"
)

// IfStartTLS is the condition of the step that StartTLS plans. A Plan without that step does without TLS.
const IfStartTLS = "the host asks DO START_TLS"

// StartTLS is the step that begins TLS.
func StartTLS() fetch.Step { return fetch.Step{Verb: "IAC SB START_TLS FOLLOWS", If: IfStartTLS} }

// follows is START_TLS's only word: section 2.
const follows = 1

// A Host is the conversation with one host.
type Host struct {
	Env  *fetch.Env
	Plan *fetch.Plan
	Conn *fetch.Conn

	Mu     sync.Mutex // guards Stream and what its End keeps, and the order of what is sent
	Stream *telopt.Stream
	// Renewed is called, with Mu held, when the negotiation begins anew, inside TLS. It may be nil.
	Renewed func()

	fault  error // of Say
	end    telopt.End
	secure bool // the host has agreed to TLS
	clear  bool // it wishes something before it does
}

// Dial connects as p has it. end is told what the host says, with Mu held, but nothing of START_TLS that the Plan has a step for.
func Dial(ctx context.Context, p *fetch.Plan, env *fetch.Env, end telopt.End) (*Host, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{TLS: p.TLS == fetch.ImplicitTLS, Record: fetch.RecordOctets})
	if err != nil {
		return nil, err
	}
	h := &Host{Env: env, Plan: p, Conn: c, end: end}
	h.Stream = telopt.New(watched{h})
	return h, nil
}

// Hear reads once from the host, and answers. Where it agrees to TLS, TLS begins.
func (h *Host) Hear(ctx context.Context, buf []byte) error {
	n, readErr := h.Conn.Read(buf)
	h.Mu.Lock()
	defer h.Mu.Unlock()
	if err := h.Stream.Receive(buf[:n]); err != nil {
		if fetch.KindOf(err) != "" {
			return err
		}
		return fetch.Errorf(fetch.ErrProtocol, "%w", err)
	}
	if h.refused() {
		return fetch.Errorf(fetch.ErrTLS, "the host begins a session without TLS")
	}
	if err := h.Flush(); err != nil {
		return err
	}
	if h.secure {
		if err := h.begin(ctx); err != nil {
			return err
		}
	}
	return readErr
}

// begin begins TLS. What was agreed before counts no more: section 3.
func (h *Host) begin(ctx context.Context) error {
	h.secure = false
	if err := h.Env.StartTLS(ctx, h.Conn); err != nil {
		return err
	}
	h.Stream = telopt.New(watched{h})
	if h.Renewed != nil {
		h.Renewed()
	}
	return nil
}

// Say announces steps. One that cannot be said ends the conversation: Flush then sends nothing, and returns why. The caller holds Mu.
func (h *Host) Say(steps ...fetch.Step) {
	if err := h.Env.Announce(steps...); h.fault == nil {
		h.fault = err
	}
}

// Flush sends what the Stream has to say. The caller holds Mu.
func (h *Host) Flush() error {
	if h.fault != nil {
		return h.fault
	}
	out := h.Stream.Answers()
	if len(out) == 0 {
		return nil
	}
	_, err := h.Conn.Write(out)
	return err
}

// watched is the Stream's End: the Host's, but for START_TLS.
type watched struct{ h *Host }

func (w watched) Data(p []byte) error {
	w.h.inClear(0)
	if w.h.refused() {
		return nil
	}
	return w.h.end.Data(p)
}

func (w watched) Command(cmd byte) error { return w.h.end.Command(cmd) }

func (w watched) Agree(side telopt.Side, opt byte) bool {
	w.h.inClear(opt)
	if opt == telopt.StartTLS && side == telopt.Us && w.h.wanted() {
		return true
	}
	return w.h.end.Agree(side, opt)
}

func (w watched) Changed(side telopt.Side, opt byte, on bool) error {
	if opt != telopt.StartTLS || side != telopt.Us {
		return w.h.end.Changed(side, opt, on)
	}
	if on {
		w.h.Say(w.h.Plan.When(IfStartTLS)...)
		w.h.Stream.Sub(opt, follows)
	}
	return nil
}

func (w watched) Sub(opt byte, p []byte) error {
	if opt != telopt.StartTLS {
		return w.h.end.Sub(opt, p)
	}
	if len(p) == 0 || p[0] != follows || !w.h.Stream.On(telopt.Us, opt) {
		return nil
	}
	if w.h.Stream.Rest() > 0 { // anybody on the way may have written it
		return fetch.Errorf(fetch.ErrProtocol, "the host sent more in clear behind its consent to TLS")
	}
	w.h.secure = true
	return nil
}

// wanted reports whether TLS is to be begun.
func (h *Host) wanted() bool {
	_, inside := h.Conn.TLS()
	return !inside && len(h.Plan.When(IfStartTLS)) > 0
}

// inClear notes what the host wishes without TLS; opt is 0 where it is no option.
func (h *Host) inClear(opt byte) {
	if _, inside := h.Conn.TLS(); !inside && opt != telopt.StartTLS && !h.Stream.On(telopt.Us, telopt.StartTLS) {
		h.clear = true
	}
}

// refused reports whether the host begins what it must not without TLS. Nothing that it says is shown then.
func (h *Host) refused() bool { return h.clear && h.Plan.TLS == fetch.ExplicitTLS }

var _ telopt.End = watched{}
