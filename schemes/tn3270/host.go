package tn3270

import (
	"context"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
)

// A host is the connection to a host. It is the Handler of its Stream.
type host struct {
	*nvt.Host // Mu guards the following fields, too

	view     view
	device   string
	lu       string
	record   []byte
	extended bool   // TN3270E's functions are agreed
	plain    []byte // output outside of 3270 mode
}

// dial connects to the host.
func (r *request) dial(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*host, error) {
	err := env.Announce(p.When("")...)
	if err != nil {
		return nil, err
	}
	h := &host{device: r.device, lu: r.lu, view: view{newScreen(r.device[9]), r.page}}
	if h.Host, err = nvt.Dial(ctx, p, env, h); err != nil {
		return nil, err
	}
	return h, nil
}

// send queues a record.
func (h *host) send(p []byte) {
	if h.extended {
		p = append([]byte{data3270, 0, 0, 0, 0}, p...)
	}
	h.Stream.Record(p)
}

// announce announces the planned steps of a condition that has come true.
func (h *host) announce(cond string) {
	h.Announce(h.Plan.When(cond)...)
}

// in3270 reports whether records are exchanged: by TN3270E, or by END-OF-RECORD both ways (RFC 1576 section 3).
func (h *host) in3270() bool {
	return h.extended || h.Stream.On(nvt.Them, nvt.EndOfRecord) && h.Stream.On(nvt.Us, nvt.EndOfRecord)
}

// Limits of what is stored.
const (
	maxRecord = 64 << 10 // a screen of the largest model with an attribute for each character has 40 KiB
	maxPlain  = 1 << 10  // it is shown in an error
)

// Data collects a record.
func (h *host) Data(p []byte) error {
	if !h.in3270() {
		h.keep(p)
		return nil
	}
	if len(h.record)+len(p) > maxRecord {
		return fetch.Errorf(fetch.ErrLimit, "a 3270 record is longer than %d bytes", maxRecord)
	}
	h.record = append(h.record, p...)
	return nil
}

// keep stores output outside of 3270 mode.
func (h *host) keep(p []byte) { h.plain = append(h.plain, p[:min(len(p), maxPlain-len(h.plain))]...) }

// Types of TN3270E's messages (RFC 2355 section 8.1.1).
const (
	data3270 = 0x00
	dataNVT  = 0x05
)

// Command handles the end of a record.
func (h *host) Command(cmd byte) error {
	if cmd != nvt.EOR || !h.in3270() {
		return nil
	}
	p := h.record
	h.record = h.record[:0]
	if h.extended {
		if len(p) < 5 {
			return fetch.Errorf(fetch.ErrProtocol, "a TN3270E message without its header")
		}
		kind := p[0]
		if p = p[5:]; kind != data3270 {
			if kind == dataNVT {
				h.keep(p)
			}
			return nil
		}
	}
	reply, err := h.view.accept(p)
	if err != nil || reply == nil {
		return err
	}
	if reply[0] == aidSF {
		h.announce(ifQuery)
	}
	h.send(reply)
	return nil
}

// Agree reports whether the client supports an option.
func (h *host) Agree(side nvt.Side, opt byte) bool {
	switch opt {
	case nvt.Binary, nvt.EndOfRecord:
		if side == nvt.Us && opt == nvt.EndOfRecord {
			h.announce(ifRecords)
		}
		return true
	case nvt.TerminalType, nvt.TN3270E:
		return side == nvt.Us
	}
	return opt == nvt.SuppressGA
}

// Changed leaves TN3270E mode when the option ends.
func (h *host) Changed(side nvt.Side, opt byte, on bool) error {
	if opt == nvt.TN3270E && !on {
		h.begin(false)
	}
	return nil
}

// begin enters or leaves TN3270E mode, in which data is binary.
func (h *host) begin(extended bool) { h.extended, h.Stream.Raw = extended, extended }

// Sub answers a sub-negotiation.
func (h *host) Sub(opt byte, p []byte) error {
	if !h.Stream.On(nvt.Us, opt) || len(p) == 0 {
		return nil
	}
	switch {
	case opt == nvt.TerminalType && p[0] == 1:
		h.announce(ifClassic)
		name := h.device
		if h.lu != "" {
			name += "@" + h.lu // as planned
		}
		h.Stream.Sub(opt, append([]byte{0}, name...)...)
	case opt == nvt.TN3270E:
		return h.negotiate(p)
	}
	return nil
}

// Words of TN3270E's negotiation (RFC 2355 section 7).
const (
	wordConnect    = 1
	wordDeviceType = 2
	wordFunctions  = 3
	wordIs         = 4
	wordReason     = 5
	wordReject     = 6
	wordRequest    = 7
	wordSend       = 8

	reasonDeviceType  = 4
	reasonUnsupported = 7
)

// negotiate answers TN3270E: the device, then an empty list of functions, which means "basic TN3270E" (RFC 2355 section 9).
func (h *host) negotiate(p []byte) error {
	if len(p) < 2 {
		return nil
	}
	switch {
	case p[0] == wordSend && p[1] == wordDeviceType:
		h.announce(ifExtended)
		out := append([]byte{wordDeviceType, wordRequest}, h.device...)
		if h.lu != "" {
			out = append(append(out, wordConnect), h.lu...)
		}
		h.Stream.Sub(nvt.TN3270E, out...)
	case p[0] == wordDeviceType && p[1] == wordIs:
		h.announce(ifFunctions)
		h.Stream.Sub(nvt.TN3270E, wordFunctions, wordRequest)
	case p[0] == wordDeviceType && p[1] == wordReject:
		return h.rejected(p[2:])
	case p[0] == wordFunctions && p[1] == wordRequest && len(p) > 2: // the host proposes some functions
		h.Stream.Sub(nvt.TN3270E, wordFunctions, wordRequest)
	case p[0] == wordFunctions && p[1] == wordRequest:
		h.Stream.Sub(nvt.TN3270E, wordFunctions, wordIs)
		h.begin(true)
	case p[0] == wordFunctions && p[1] == wordIs:
		h.begin(true)
	}
	return nil
}

// rejected falls back to RFC 1576 if the host does not support the device in TN3270E. Any other rejection is an error.
func (h *host) rejected(p []byte) error {
	reason := byte(0xff)
	if len(p) > 1 && p[0] == wordReason {
		reason = p[1]
	}
	if reason == reasonDeviceType || reason == reasonUnsupported {
		h.Stream.Ask(nvt.Us, nvt.TN3270E, false)
		return nil
	}
	words := [...]string{"the other end is missing", "the device is in use", "the association is not valid", "no such name", "",
		"the type does not match the name", "no reason given"}
	if int(reason) >= len(words) {
		reason = 6
	}
	return fetch.Errorf(fetch.ErrRefused, "the host rejects the device: %s", words[reason])
}

// no3270 returns the error about a host that uses another protocol.
func (h *host) no3270() error {
	e := fetch.Errorf(fetch.ErrUnsupported, "the host does not enter 3270 mode")
	if text := strings.TrimSpace(string(h.plain)); text != "" {
		e.Text += "; it sent: " + text
		e.Hint = "telnet:" + strings.TrimPrefix(h.Plan.URI.String(), "tn3270:") + " may work"
	}
	return e
}

var _ nvt.Handler = (*host)(nil)
