package tn3270

import (
	"context"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/telhost"
	"example.org/deref/schemes/internal/telopt"
)

// A host is the conversation with one host, whoever reads it.
type host struct {
	*telhost.Host // Mu guards what follows, too

	view     view
	device   string
	lu       string
	record   []byte
	extended bool   // TN3270E's functions are agreed
	plain    []byte // what came outside of 3270 mode
	records  int    // records of 3270 data
}

func dial(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*host, error) {
	page, err := pageOf(p.Options)
	if err != nil {
		return nil, err
	}
	device, err := model(p.Options)
	if err != nil {
		return nil, err
	}
	h := &host{device: device, lu: p.Options.Get(setLU), view: view{newScreen(device[9]), page}}
	if h.Host, err = telhost.Dial(ctx, p, env, h); err != nil {
		return nil, err
	}
	return h, nil
}

// send sends a record.
func (h *host) send(p []byte) error {
	if err := h.Flush(); err != nil {
		return err
	}
	var out []byte
	if h.extended {
		out = []byte{data3270, 0, 0, 0, 0}
	}
	for _, c := range p {
		if out = append(out, c); c == telopt.IAC {
			out = append(out, c)
		}
	}
	_, err := h.Conn.Write(append(out, telopt.IAC, telopt.EOR))
	return err
}

// say announces the planned steps of a condition that has come true.
func (h *host) say(cond string) {
	h.Say(h.Plan.When(cond)...)
}

// in3270 reports whether records are exchanged: by TN3270E, or by END-OF-RECORD both ways (RFC 1576 section 3).
func (h *host) in3270() bool {
	return h.extended || h.Stream.On(telopt.Them, telopt.EndOfRecord) && h.Stream.On(telopt.Us, telopt.EndOfRecord)
}

// Bounds of what is kept.
const (
	maxRecord = 64 << 10 // a screen of the largest model with an attribute for each character has 40 KiB
	maxPlain  = 64 << 10
)

// Data collects a record.
func (h *host) Data(p []byte) error {
	if !h.in3270() {
		if len(h.plain)+len(p) <= maxPlain {
			h.plain = append(h.plain, p...)
		}
		return nil
	}
	if len(h.record)+len(p) > maxRecord {
		return fetch.Errorf(fetch.ErrLimit, "a 3270 record is longer than %d octets", maxRecord)
	}
	h.record = append(h.record, p...)
	return nil
}

// Types of TN3270E's messages (RFC 2355 section 8.1.1).
const (
	data3270 = 0x00
	dataNVT  = 0x05
)

// Command takes the end of a record.
func (h *host) Command(cmd byte) error {
	if cmd != telopt.EOR || !h.in3270() {
		return nil
	}
	p := h.record
	h.record = h.record[:0]
	if h.extended {
		if len(p) < 5 {
			return fetch.Errorf(fetch.ErrProtocol, "a TN3270E message without its head")
		}
		kind := p[0]
		if p = p[5:]; kind != data3270 {
			if kind == dataNVT && len(h.plain)+len(p) <= maxPlain {
				h.plain = append(h.plain, p...)
			}
			return nil
		}
	}
	h.records++
	reply, err := h.view.accept(p)
	if err != nil || reply == nil {
		return err
	}
	if reply[0] == aidSF {
		h.say(ifQuery)
	}
	return h.send(reply)
}

// Agree says which options this end takes part in.
func (h *host) Agree(side telopt.Side, opt byte) bool {
	switch opt {
	case telopt.Binary, telopt.EndOfRecord:
		if side == telopt.Us && opt == telopt.EndOfRecord {
			h.say(ifRecords)
		}
		return true
	case telopt.TerminalType:
		return side == telopt.Us
	case telopt.TN3270E:
		return side == telopt.Us
	}
	return opt == telopt.SuppressGA
}

// Changed ends what an option has begun.
func (h *host) Changed(side telopt.Side, opt byte, on bool) error {
	if opt == telopt.TN3270E && !on {
		h.extended = false
	}
	return nil
}

// Sub answers a sub-negotiation.
func (h *host) Sub(opt byte, p []byte) error {
	if !h.Stream.On(telopt.Us, opt) || len(p) == 0 {
		return nil
	}
	switch {
	case opt == telopt.TerminalType && p[0] == 1:
		h.say(ifClassic)
		name := h.device
		if h.lu != "" {
			name += "@" + h.lu // as planned
		}
		h.Stream.Sub(opt, append([]byte{0}, name...)...)
	case opt == telopt.TN3270E:
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

// negotiate answers TN3270E: the device, then no functions at all, which is "basic TN3270E" (RFC 2355 section 9).
func (h *host) negotiate(p []byte) error {
	if len(p) < 2 {
		return nil
	}
	switch {
	case p[0] == wordSend && p[1] == wordDeviceType:
		h.say(ifExtended)
		out := append([]byte{wordDeviceType, wordRequest}, h.device...)
		if h.lu != "" {
			out = append(append(out, wordConnect), h.lu...)
		}
		h.Stream.Sub(telopt.TN3270E, out...)
	case p[0] == wordDeviceType && p[1] == wordIs:
		h.say(ifFunctions)
		h.Stream.Sub(telopt.TN3270E, wordFunctions, wordRequest)
	case p[0] == wordDeviceType && p[1] == wordReject:
		return h.rejected(p[2:])
	case p[0] == wordFunctions && p[1] == wordRequest && len(p) > 2: // of our none, something
		h.Stream.Sub(telopt.TN3270E, wordFunctions, wordRequest)
	case p[0] == wordFunctions && p[1] == wordRequest:
		h.Stream.Sub(telopt.TN3270E, wordFunctions, wordIs)
		h.extended = true
	case p[0] == wordFunctions && p[1] == wordIs:
		h.extended = true
	}
	return nil
}

// rejected falls back to RFC 1576 where the host does not know the device in TN3270E; what else it rejects is its last word.
func (h *host) rejected(p []byte) error {
	reason := byte(0xff)
	if len(p) > 1 && p[0] == wordReason {
		reason = p[1]
	}
	if reason == reasonDeviceType || reason == reasonUnsupported {
		h.Stream.Ask(telopt.Us, telopt.TN3270E, false)
		return nil
	}
	words := [...]string{"the other end is not there", "the device is in use", "the association is not valid", "it has no such name", "", "the type does not fit the name", "it does not say why"}
	if int(reason) >= len(words) {
		reason = 6
	}
	return fetch.Errorf(fetch.ErrRefused, "the host rejects the device: %s", words[reason])
}

// notHere is the error about a host that speaks another protocol.
func (h *host) notHere() error {
	e := fetch.Errorf(fetch.ErrUnsupported, "the host does not go into 3270 mode")
	if text := strings.TrimSpace(string(h.plain)); text != "" {
		e.Text += "; it says: " + text
		e.Hint = "telnet:" + strings.TrimPrefix(h.Plan.URI.String(), "tn3270:") + " may be what it is"
	}
	return e
}

var _ telopt.End = (*host)(nil)
