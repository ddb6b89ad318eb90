package tn3270test

import (
	"crypto/tls"
	"fmt"
	"net"
	"path"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/nvt"
)

// A host serves one session.
type host struct {
	s        *server
	c        net.Conn
	stream   *nvt.Stream
	record   []byte
	device   string
	extended bool
	begun    bool
	done     bool
	offered  bool // the host has requested TN3270E without functions
	secure   bool // the client has agreed to TLS
}

func (s *server) serve(c net.Conn) {
	if s.o.TLS != nil {
		c = tls.Server(c, s.o.TLS)
	}
	h := &host{s: s, c: c}
	h.stream = nvt.New(h)
	if s.o.StartTLS != nil {
		h.stream.Ask(nvt.Them, nvt.StartTLS, true)
	} else {
		h.greet()
	}
	buf := make([]byte, 4096)
	for !h.done {
		if _, err := h.c.Write(h.stream.Output()); err != nil {
			return
		}
		h.c.SetDeadline(time.Now().Add(idle))
		n, err := h.c.Read(buf)
		if err != nil || h.stream.Receive(buf[:n]) != nil {
			return
		}
		if h.secure && h.begin() != nil {
			return
		}
	}
	loopback.Finish(h.c)
}

// greet starts one way into 3270 mode.
func (h *host) greet() {
	if h.s.o.Classic {
		h.stream.Ask(nvt.Them, nvt.TerminalType, true)
	} else {
		h.stream.Ask(nvt.Them, nvt.TN3270E, true)
	}
}

// begin begins TLS, and a new negotiation.
func (h *host) begin() error {
	if _, err := h.c.Write(h.stream.Output()); err != nil {
		return err
	}
	c := tls.Server(h.c, h.s.o.StartTLS)
	if err := c.Handshake(); err != nil {
		return err
	}
	h.c, h.stream, h.secure = c, nvt.New(h), false
	h.greet()
	return nil
}

// Agree accepts the requested options.
func (h *host) Agree(_ nvt.Side, opt byte) bool {
	return opt == nvt.Binary || opt == nvt.EndOfRecord
}

// Changed continues the negotiation.
func (h *host) Changed(side nvt.Side, opt byte, on bool) error {
	switch {
	case side == nvt.Them && opt == nvt.StartTLS && on:
		h.stream.Sub(opt, 1) // FOLLOWS
	case side == nvt.Them && opt == nvt.TN3270E && on:
		h.stream.Sub(opt, 8, 2) // SEND DEVICE-TYPE
	case side == nvt.Them && opt == nvt.TN3270E: // refused, or fallen back to RFC 1576
		h.stream.Ask(nvt.Them, nvt.TerminalType, true)
	case side == nvt.Them && opt == nvt.TerminalType && on:
		h.stream.Sub(opt, 1)
	case !h.begun && h.classic():
		h.first()
	}
	return nil
}

func (h *host) classic() bool {
	for _, opt := range []byte{nvt.Binary, nvt.EndOfRecord} {
		if !h.stream.On(nvt.Us, opt) || !h.stream.On(nvt.Them, opt) {
			return false
		}
	}
	return true
}

// Sub handles the device type.
func (h *host) Sub(opt byte, p []byte) error {
	switch {
	case opt == nvt.StartTLS:
		h.secure = true
	case opt == nvt.TerminalType && len(p) > 1:
		h.device = string(p[1:])
		for _, o := range []byte{nvt.EndOfRecord, nvt.Binary} {
			h.stream.Ask(nvt.Us, o, true)
			h.stream.Ask(nvt.Them, o, true)
		}
	case opt == nvt.TN3270E && len(p) > 2 && p[0] == 2 && p[1] == 7: // DEVICE-TYPE REQUEST
		if h.s.o.Reject != 0 {
			h.stream.Sub(opt, 2, 6, 5, h.s.o.Reject) // REJECT REASON
			return nil
		}
		device, name, named := strings.Cut(string(p[2:]), "\x01") // CONNECT
		if !named {
			name = "LAB01"
		}
		h.device = device
		h.stream.Sub(opt, append([]byte{2, 4}, device+"\x01"+name...)...)
	case opt == nvt.TN3270E && len(p) > 1 && p[0] == functions:
		h.functions(p[1], p[2:])
	}
	return nil
}

// Data collects a record.
func (h *host) Data(p []byte) error {
	if len(h.record) < 1<<16 {
		h.record = append(h.record, p...)
	}
	return nil
}

// Command handles a record.
func (h *host) Command(cmd byte) error {
	p := h.record
	h.record = nil
	if h.extended {
		if len(p) < 5 || p[0] != 0 { // only 3270-DATA holds keys (RFC 2355 section 8.1.1)
			return nil
		}
		p = p[5:]
	}
	if cmd == nvt.EOR && len(p) > 0 {
		h.key(p)
	}
	return nil
}

// key responds to a key.
func (h *host) key(p []byte) {
	fields := inputs(p)
	note := fmt.Sprintf("%02x", p[0])
	if u := fields[20*80+10]; u != "" {
		note += " " + u
	}
	h.s.Net.Note(note)
	switch p[0] {
	case 0x7d: // Enter
		h.second(fields[20*80+10])
	case 0xf3:
		h.done = true
	case 0x7c, 0x6d: // PF12, Clear
		h.first()
	default:
		h.send(page(0xf1, 0xc2, sba(23, 0), field(0x20), text(note+" was pressed")))
	}
}

// inputs returns the fields of a record by their addresses.
func inputs(p []byte) map[int]string {
	list := map[int]string{}
	if len(p) < 3 {
		return list
	}
	for _, part := range strings.Split(string(p[3:]), "\x11")[1:] {
		if len(part) >= 2 {
			at := int(part[0]&0x3f)<<6 | int(part[1]&0x3f)
			b, _ := charmap.CodePage037.NewDecoder().String(part[2:])
			list[at] = b
		}
	}
	return list
}

// first returns the first screen of a session.
func (h *host) first() {
	h.begun = true
	out := page(0xf5, 0xc3)
	b, err := loopback.ReadFile(h.s.fsys, path.Clean("./"+h.s.o.Screen))
	if err == nil {
		for row, line := range linesOf(b) {
			out = append(out, orders(sba(row, 0), field(0x20), text(line[1:]))...)
		}
	}
	h.send(append(out, orders(
		sba(20, 0), field(0xf0), text("User ==>"), sba(20, 9), field(0x40), []byte{0x13}, sba(20, 19), field(0xf0),
		sba(20, 21), field(0xf8), text("Password ==>"), sba(20, 34), field(0x4c), sba(20, 44), field(0xf0),
		sba(22, 0), field(0x60), text("Enter goes on, PF3 leaves"))...))
}

// second returns a screen with the name of the user, in color.
func (h *host) second(user string) {
	h.send(page(0xf5, 0xc2, sba(0, 0), []byte{0x29, 2, 0xc0, 0xe0, 0x42, 0xf5}, text("Welcome "+user+" at "+h.device),
		sba(2, 0), field(0x60), text("PF12 goes back, PF3 leaves"), sba(4, 0), field(0x40), []byte{0x13}, sba(4, 79), field(0x60)))
}

func (h *host) send(p []byte) {
	if h.extended {
		p = append([]byte{0, 0, 0, 0, 0}, p...)
	}
	h.stream.Record(p)
	h.c.Write(h.stream.Output())
}

// page returns a write command with its control character, and orders.
func page(cmd, wcc byte, list ...[]byte) []byte {
	return append([]byte{cmd, wcc}, orders(list...)...)
}

func orders(list ...[]byte) (out []byte) {
	for _, o := range list {
		out = append(out, o...)
	}
	return out
}

func sba(row, col int) []byte {
	at := row*80 + col
	return []byte{0x11, byte(at >> 8), byte(at)}
}

func field(attr byte) []byte { return []byte{0x1d, attr} }

func text(s string) []byte {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := charmap.CodePage037.EncodeRune(r)
		if !ok {
			b = 0x6f // a question mark
		}
		out = append(out, b)
	}
	return out
}
