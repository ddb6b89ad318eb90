package telnet

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/schemes/internal/telopt"
)

// Octets of sub-negotiations.
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

// Agree says which options this end takes part in.
func (s *host) Agree(side telopt.Side, opt byte) bool {
	if side == telopt.Them {
		return s.agreed(opt, map[byte]string{telopt.Echo: ifEcho, telopt.SuppressGA: ifAhead, telopt.Binary: ifBinary, telopt.Charset: ""})
	}
	wished := map[byte]string{telopt.TerminalType: "", telopt.NAWS: "", telopt.SuppressGA: ifGoAhead, telopt.Binary: ifBinary, telopt.Charset: "",
		telopt.Linemode: "", telopt.LFlow: ifFlow, telopt.Status: "", telopt.TimingMark: ifMark}
	if len(s.Plan.When(ifEnviron)) > 0 {
		wished[telopt.NewEnviron] = ""
	}
	return s.agreed(opt, wished)
}

// agreed looks opt up in the options that are wished, and announces the answer.
func (s *host) agreed(opt byte, wished map[byte]string) bool {
	cond, ok := wished[opt]
	switch {
	case !ok:
		s.say(ifOther, strconv.Itoa(int(opt)))
	case cond != "":
		s.say(cond)
	}
	return ok
}

// Changed answers an option that needs more than WILL.
func (s *host) Changed(side telopt.Side, opt byte, on bool) error {
	if side != telopt.Us {
		return nil
	}
	switch opt {
	case telopt.LFlow: // it is in force from the beginning (RFC 1372 section 2)
		s.flow.Set(on)
	case telopt.Linemode:
		if s.lines = (lineMode{}); on {
			s.beginLines()
		}
	}
	if !on {
		return nil
	}
	switch opt {
	case telopt.TimingMark:
		s.Stream.Forget(side, opt)
	case telopt.NAWS:
		s.tellSize()
	}
	return nil
}

// tellSize is RFC 1073. The caller holds mu.
func (s *host) tellSize() {
	cols, rows := s.size()
	cols, rows = max(0, min(cols, 0xffff)), max(0, min(rows, 0xffff))
	s.say(ifWindow, strconv.Itoa(cols), strconv.Itoa(rows))
	s.Stream.Sub(telopt.NAWS, byte(cols>>8), byte(cols), byte(rows>>8), byte(rows))
}

// Sub answers a sub-negotiation. One of an option that is not in force is nobody's.
func (s *host) Sub(opt byte, p []byte) error {
	side := telopt.Us
	if opt == telopt.Charset && !s.Stream.On(side, opt) {
		side = telopt.Them
	}
	if len(p) == 0 || !s.Stream.On(side, opt) {
		return nil
	}
	switch {
	case opt == telopt.TerminalType && p[0] == send:
		s.tellType()
	case opt == telopt.NewEnviron && p[0] == send:
		s.tellEnviron(p[1:])
	case opt == telopt.Charset && p[0] == charsetRequest:
		s.tellCharset(p[1:])
	case opt == telopt.Linemode:
		s.linemode(p)
	case opt == telopt.LFlow:
		s.control(p[0])
	case opt == telopt.Status && p[0] == send:
		s.tellStatus()
	}
	return nil
}

// control is RFC 1372 section 2.
func (s *host) control(word byte) {
	switch word {
	case flowOff, flowOn:
		s.flow.Set(word == flowOn)
	case restartAny, restartXON:
		s.flow.Any(word == restartAny)
	}
}

// tellStatus is RFC 859.
func (s *host) tellStatus() {
	list := s.Stream.Status()
	s.say(ifStatus, strconv.Itoa(len(list)/2))
	s.Stream.Sub(telopt.Status, append([]byte{is}, list...)...)
}

// tellType goes through the terminal's types, of which the last is repeated (RFC 1091).
func (s *host) tellType() {
	list := types(s.term)
	name := list[min(s.types, len(list)-1)]
	if s.types++; s.types > len(list) { // told twice: the host may begin again
		s.types = 0
	}
	s.say(ifTerminal, name)
	s.Stream.Sub(telopt.TerminalType, append([]byte{is}, name...)...)
}

// types are the names of a terminal: its own, the one of its family, and what it can do in the manner of MTTS
// (https://tintin.mudhalla.net/protocols/mtts): 1 ANSI colour, 2 VT100, 4 UTF-8, 8 256 colours.
func types(term string) []string {
	if term == "" {
		term = plain
	}
	term = strings.ToUpper(term)
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

// plain is the terminal of those that have none: the host is to leave out what moves a cursor.
const plain = "DUMB"

// tellEnviron tells USER, and nothing else, to a host that asks for it or for all (RFC 1572): the rest of an environment is
// nobody's business, and has been a way into login programs.
func (s *host) tellEnviron(asked []byte) {
	out := []byte{is}
	if len(asked) == 0 || slices.ContainsFunc(names(asked), func(n string) bool { return n == "" || n == "USER" }) {
		if args := s.say(ifEnviron); len(args) > 0 {
			out = append(append(out, envVar), "USER"...)
			out = append(out, envVal)
			out = append(out, escaped(args[0])...)
		}
	}
	s.Stream.Sub(telopt.NewEnviron, out...)
}

// names are the variables that a SEND asks for; "" is all of a kind.
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

// escaped puts ESC before the octets of a value that would begin another (RFC 1572 section 3).
func escaped(v string) (out []byte) {
	for _, c := range []byte(v) {
		if c <= envUser {
			out = append(out, envEsc)
		}
		out = append(out, c)
	}
	return out
}

// tellCharset takes UTF-8 or nothing (RFC 2066): octets pass through as they are. Translation tables are refused.
func (s *host) tellCharset(p []byte) {
	if len(p) > 1 && p[0] != '[' {
		for _, name := range bytes.Split(p[1:], p[:1]) {
			if strings.EqualFold(string(name), "UTF-8") {
				s.say(ifCharset)
				s.Stream.Sub(telopt.Charset, append([]byte{charsetAccepted}, name...)...)
				return
			}
		}
	}
	s.Stream.Sub(telopt.Charset, charsetRejected)
}

var _ telopt.End = (*host)(nil)
