package telnettest

import (
	"strings"

	"example.org/deref/schemes/internal/telopt"
)

// Agree lets the client have what it offers of those that were asked for.
func (h *host) Agree(_ telopt.Side, opt byte) bool {
	return opt == telopt.SuppressGA || opt == telopt.Echo
}

// Changed asks for what an option has to say.
func (h *host) Changed(side telopt.Side, opt byte, on bool) error {
	if side == telopt.Us {
		return nil
	}
	switch {
	case !on:
		h.answered()
	case opt == telopt.NAWS: // RFC 1073: a client without a window sends no size
		h.answered()
	case opt == telopt.TerminalType:
		h.stream.Sub(opt, 1) // SEND
	case opt == telopt.NewEnviron:
		h.stream.Sub(opt, append([]byte{1, 0}, "USER"...)...)
	case opt == telopt.StartTLS:
		h.stream.Sub(opt, 1) // FOLLOWS
	}
	return nil
}

// Sub hears it. The last answer lets the session begin.
func (h *host) Sub(opt byte, p []byte) error {
	switch {
	case opt == telopt.StartTLS:
		h.tls = true
		return nil
	case opt == telopt.TerminalType && len(p) > 0:
		h.term = string(p[1:])
	case opt == telopt.NAWS && len(p) == 4:
		h.cols, h.rows = int(p[0])<<8|int(p[1]), int(p[2])<<8|int(p[3])
		return nil
	case opt == telopt.NewEnviron && len(p) > 0:
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

// Command knows none.
func (h *host) Command(byte) error { return nil }
