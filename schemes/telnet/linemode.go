package telnet

import (
	"slices"
	"strconv"

	"example.org/deref/schemes/internal/nvt"
)

// Words of LINEMODE's sub-negotiations: RFC 1184 section 2.
const (
	modeMask    = 1
	forwardMask = 2
	slc         = 3

	modeEdit = 0x01
	modeTrap = 0x02 // TRAPSIG
	modeAck  = 0x04
	modeBits = 0x1f
)

// Levels and flags of a special character: RFC 1184 section 2.4.
const (
	noSupport  = 0
	cantChange = 1
	atValue    = 2
	levelBits  = 0x03
	slcAck     = 0x80
	flushIn    = 0x40
	flushOut   = 0x20
)

// A special is the meaning of one byte: a function of section 2.5, and the command that it is sent as if signals are trapped.
type special struct {
	function, level, value byte
	flush                  byte
	command                byte
}

// specials returns the characters that edit a line here, which cannot be changed, and those that become signals.
func specials() []special {
	const ip, abort, eof, susp, ec, el, xon, xoff = 3, 7, 8, 9, 10, 11, 15, 16
	return []special{
		{ip, atValue, 'C' - '@', flushIn | flushOut, nvt.IP},
		{abort, atValue, '\\' - '@', flushIn | flushOut, nvt.ABORT},
		{eof, atValue, 'D' - '@', 0, nvt.EOF},
		{susp, atValue, 'Z' - '@', flushIn, nvt.SUSP},
		{ec, cantChange, 0x7f, 0, 0},
		{el, cantChange, 'U' - '@', 0, 0},
		{xon, cantChange, 'Q' - '@', 0, 0},
		{xoff, cantChange, 'S' - '@', 0, 0},
	}
}

// A lineMode is the state of LINEMODE, the zero value while the option is off.
type lineMode struct {
	mask  byte
	chars []special
}

// beginLines offers the special characters.
func (s *host) beginLines() {
	s.lines = lineMode{chars: specials()}
	s.sendSpecials(s.lines.all())
}

func (s *host) sendSpecials(triplets []byte) {
	s.announce(ifLinemode)
	s.Stream.Sub(nvt.Linemode, append([]byte{slc}, triplets...)...)
}

// linemode answers a sub-negotiation of the option. It refuses to forward at bytes other than line ends.
func (s *host) linemode(p []byte) {
	switch {
	case p[0] == modeMask && len(p) > 1:
		mask := p[1] & modeBits &^ modeAck
		if mask == s.lines.mask {
			return
		}
		if s.lines.mask = mask; p[1]&modeAck == 0 {
			s.announce(ifMode, strconv.Itoa(int(mask)))
			s.Stream.Sub(nvt.Linemode, modeMask, mask|modeAck)
		}
	case p[0] == nvt.DO && len(p) > 1 && p[1] == forwardMask:
		s.Stream.Sub(nvt.Linemode, nvt.WONT, forwardMask)
	case p[0] == slc:
		if answer := s.lines.set(p[1:]); len(answer) > 0 {
			s.sendSpecials(answer)
		}
	}
}

// all returns the triplets of all characters.
func (l *lineMode) all() (out []byte) {
	for _, c := range l.chars {
		out = append(out, c.function, c.level|c.flush, c.value)
	}
	return out
}

// set handles the host's triplets and returns the answer (RFC 1184 section 2.4).
func (l *lineMode) set(p []byte) (answer []byte) {
	for ; len(p) >= 3; p = p[3:] {
		function, flags, value := p[0], p[1], p[2]
		level := flags & levelBits
		i := slices.IndexFunc(l.chars, func(c special) bool { return c.function == function })
		switch {
		case function == 0: // a request for all of them
			return l.all()
		case i < 0:
			if level != noSupport && flags&slcAck == 0 {
				answer = append(answer, function, noSupport, 0)
			}
		case l.chars[i].level == level && l.chars[i].value == value, flags&slcAck != 0 && l.chars[i].level == cantChange:
		case l.chars[i].level == cantChange && level == cantChange: // neither side can change: then the function is off
			l.chars[i].level = noSupport
			answer = append(answer, function, noSupport, 0)
		case l.chars[i].level == cantChange:
			answer = append(answer, function, cantChange, l.chars[i].value)
		default:
			l.chars[i].level, l.chars[i].value = level, value
			if flags&slcAck == 0 {
				answer = append(answer, function, flags|slcAck, value)
			}
		}
	}
	return answer
}

// command returns the command that a byte becomes if signals are trapped, 0 if it is sent unchanged.
func (l *lineMode) command(c byte) byte {
	if l.mask&modeTrap == 0 {
		return 0
	}
	for _, x := range l.chars {
		if x.value == c && x.level != noSupport && x.command != 0 {
			return x.command
		}
	}
	return 0
}
