package telnettest

import (
	"strings"

	"example.org/deref/schemes/internal/nvt"
)

// Agree accepts the requested options.
func (h *host) Agree(_ nvt.Side, opt byte) bool {
	return opt == nvt.SuppressGA || opt == nvt.Echo
}

// Changed requests the details of an option.
func (h *host) Changed(side nvt.Side, opt byte, on bool) error {
	if side == nvt.Us {
		return nil
	}
	switch {
	case !on:
		h.answered()
	case opt == nvt.NAWS: // RFC 1073: a client without a window sends no size
		h.answered()
	case opt == nvt.TerminalType:
		h.stream.Sub(opt, 1) // SEND
	case opt == nvt.NewEnviron:
		h.stream.Sub(opt, append([]byte{1, 0}, "USER"...)...)
	case opt == nvt.StartTLS:
		h.stream.Sub(opt, 1) // FOLLOWS
	}
	return nil
}

// Sub handles the sub-negotiation of an option. The last answer starts the session.
func (h *host) Sub(opt byte, p []byte) error {
	switch {
	case opt == nvt.StartTLS:
		h.tls = true
		return nil
	case opt == nvt.TerminalType && len(p) > 0:
		h.term = string(p[1:])
	case opt == nvt.NAWS && len(p) == 4:
		h.cols, h.rows = int(p[0])<<8|int(p[1]), int(p[2])<<8|int(p[3])
		return nil
	case opt == nvt.NewEnviron && len(p) > 0:
		_, value, _ := strings.Cut(string(p[1:]), "\x01")
		h.user = value
	}
	h.answered()
	return nil
}

func (h *host) answered() {
	if h.asked--; h.asked == 0 && !h.begun {
		h.begin()
	}
}

// Command ignores all commands.
func (h *host) Command(byte) error { return nil }
