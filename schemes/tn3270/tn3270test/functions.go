package tn3270test

import "example.org/deref/schemes/internal/nvt"

// The words of the FUNCTIONS sub-negotiation (RFC 2355 section 7.2).
const (
	functions = 3
	is        = 4
	request   = 7
)

// functions agrees on TN3270E without any function: the host sends no BIND image, needs no responses and does not support SYSREQ. If a client
// requests functions is answered with a request for none (RFC 2355 section 7.2.1), which it must accept. One that insists goes on
// without TN3270E, so that the negotiation ends.
func (h *host) functions(word byte, list []byte) {
	switch none := len(list) == 0; {
	case h.begun:
	case word == request && none:
		h.stream.Sub(nvt.TN3270E, functions, is)
		h.extend()
	case word == request && !h.offered:
		h.offered = true
		h.stream.Sub(nvt.TN3270E, functions, request)
	case word == is && none && h.offered:
		h.extend()
	default:
		h.stream.Ask(nvt.Them, nvt.TN3270E, false)
		h.stream.Ask(nvt.Them, nvt.TerminalType, true)
	}
}

// extend begins the session with TN3270E.
func (h *host) extend() {
	h.extended = true
	h.first()
}
