package telnet

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/schemes/internal/nvt"
)

// Bytes of sub-negotiations.
const (
	is      = 0 // RFC 1091, 1572
	send    = 1
	envVar  = 0 // RFC 1572
	envUser = 3 // USERVAR
	envVal  = 1
	envEsc  = 2

	charsetRequest  = 1 // RFC 2066
	charsetAccepted = 2
	charsetRejected = 3

	flowOff    = 0 // RFC 1372
	flowOn     = 1
	restartAny = 2
	restartXON = 3
)

// Agree reports whether the client supports an option.
func (s *host) Agree(side nvt.Side, opt byte) bool {
	if side == nvt.Them {
		return s.agreed(opt, map[byte]string{nvt.Echo: ifEcho, nvt.SuppressGA: ifAhead, nvt.Binary: ifBinary, nvt.Charset: ""})
	}
	supported := map[byte]string{nvt.TerminalType: "", nvt.NAWS: "", nvt.SuppressGA: ifGoAhead, nvt.Binary: ifBinary, nvt.Charset: "",
		nvt.LFlow: ifFlow, nvt.TimingMark: ifMark}
	if len(s.Plan.When(ifEnviron)) > 0 {
		supported[nvt.NewEnviron] = ""
	}
	return s.agreed(opt, supported)
}

// agreed reports whether opt is supported, and announces the answer.
func (s *host) agreed(opt byte, supported map[byte]string) bool {
	cond, ok := supported[opt]
	switch {
	case !ok:
		s.announce(ifOther, strconv.Itoa(int(opt)))
	case cond != "":
		s.announce(cond)
	}
	return ok
}

// Changed starts the options that need more than WILL.
func (s *host) Changed(side nvt.Side, opt byte, on bool) error {
	if side != nvt.Us {
		return nil
	}
	switch {
	case opt == nvt.LFlow: // it is in force from the beginning (RFC 1372 section 2)
		s.flow.Set(on)
	case opt == nvt.TimingMark && on:
		s.Stream.Forget(side, opt)
	case opt == nvt.NAWS && on:
		s.sendSize()
	}
	return nil
}

// sendSize sends the window size (RFC 1073). The caller holds Mu.
func (s *host) sendSize() {
	cols, rows := s.size()
	cols, rows = max(0, min(cols, 0xffff)), max(0, min(rows, 0xffff))
	s.announce(ifWindow, strconv.Itoa(cols), strconv.Itoa(rows))
	s.Stream.Sub(nvt.NAWS, byte(cols>>8), byte(cols), byte(rows>>8), byte(rows))
}

// Sub answers a sub-negotiation. It ignores those of options that are not in force.
func (s *host) Sub(opt byte, p []byte) error {
	side := nvt.Us
	if opt == nvt.Charset && !s.Stream.On(side, opt) {
		side = nvt.Them
	}
	if len(p) == 0 || !s.Stream.On(side, opt) {
		return nil
	}
	switch {
	case opt == nvt.TerminalType && p[0] == send:
		s.sendType()
	case opt == nvt.NewEnviron && p[0] == send:
		s.sendEnviron(p[1:])
	case opt == nvt.Charset && p[0] == charsetRequest:
		s.sendCharset(p[1:])
	case opt == nvt.LFlow:
		s.control(p[0])
	}
	return nil
}

// control handles TOGGLE-FLOW-CONTROL (RFC 1372 section 2).
func (s *host) control(word byte) {
	switch word {
	case flowOff, flowOn:
		s.flow.Set(word == flowOn)
	case restartAny, restartXON:
		s.flow.Any(word == restartAny)
	}
}

// sendType sends the terminal's next type. The last one is sent twice, then the list starts again (RFC 1091).
func (s *host) sendType() {
	list := types(s.term)
	name := list[min(s.types, len(list)-1)]
	if s.types++; s.types > len(list) { // the last one was sent twice
		s.types = 0
	}
	s.announce(ifTerminal, name)
	s.Stream.Sub(nvt.TerminalType, append([]byte{is}, name...)...)
}

// types returns the names of a terminal: its own, its family, and its capabilities as an MTTS number
// (https://tintin.mudhalla.net/protocols/mtts): 1 ANSI color, 2 VT100, 4 UTF-8, 8 256 colors.
func types(term string) []string {
	term = strings.ToUpper(cmp.Or(term, plain))
	family, variant, _ := strings.Cut(term, "-")
	can := 0
	switch family {
	case "DUMB", "UNKNOWN":
	case "VT52":
	default:
		can = 1 | 2 | 4
	}
	if strings.Contains(variant, "256COLOR") {
		can |= 8
	}
	return slices.Compact([]string{term, family, fmt.Sprintf("MTTS %d", can)})
}

// plain is the type sent when there is no terminal. The host should not move a cursor then.
const plain = "DUMB"

// sendEnviron sends USER to a host that asks for it or for all variables (RFC 1572). It never sends any other variable: they are private,
// and some have been used to attack login programs.
func (s *host) sendEnviron(asked []byte) {
	out := []byte{is}
	if len(asked) == 0 || slices.ContainsFunc(names(asked), func(n string) bool { return n == "" || n == "USER" }) {
		if args := s.announce(ifEnviron); len(args) > 0 {
			out = append(append(out, envVar), "USER"...)
			out = append(out, envVal)
			out = append(out, escaped(args[0])...)
		}
	}
	s.Stream.Sub(nvt.NewEnviron, out...)
}

// names returns the variables that a SEND asks for. "" means all variables of a kind.
func names(p []byte) (list []string) {
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == envVar, c == envUser:
			list = append(list, "")
			continue
		case c == envEsc && i+1 < len(p):
			i++
		}
		if n := len(list); n > 0 {
			list[n-1] += string(p[i : i+1])
		}
	}
	return list
}

// escaped puts ESC before the bytes of a value that would begin another variable (RFC 1572 section 3).
func escaped(v string) (out []byte) {
	for _, c := range []byte(v) {
		if c <= envUser {
			out = append(out, envEsc)
		}
		out = append(out, c)
	}
	return out
}

// sendCharset accepts only UTF-8 (RFC 2066), because bytes are passed on unchanged. It refuses translation tables.
func (s *host) sendCharset(p []byte) {
	if len(p) > 1 && p[0] != '[' {
		for _, name := range bytes.Split(p[1:], p[:1]) {
			if strings.EqualFold(string(name), "UTF-8") {
				s.announce(ifCharset)
				s.Stream.Sub(nvt.Charset, append([]byte{charsetAccepted}, name...)...)
				return
			}
		}
	}
	s.Stream.Sub(nvt.Charset, charsetRejected)
}

var _ nvt.Handler = (*host)(nil)
