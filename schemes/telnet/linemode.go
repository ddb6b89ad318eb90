package telnet

import (
	"slices"
	"strconv"

	"example.org/deref/schemes/internal/telopt"
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

// A special is what one octet does: one of the functions of section 2.5, and the command it becomes where signals are trapped.
type special struct {
	function, level, value byte
	flush                  byte
	command                byte
}

// specials are the characters that a line is edited with here, which cannot change, and those that become signals.
func specials() []special {
	const ip, abort, eof, susp, ec, el, xon, xoff = 3, 7, 8, 9, 10, 11, 15, 16
	return []special{
		{ip, atValue, 'C' - '@', flushIn | flushOut, telopt.IP},
		{abort, atValue, '\\' - '@', flushIn | flushOut, telopt.ABORT},
		{eof, atValue, 'D' - '@', 0, telopt.EOF},
		{susp, atValue, 'Z' - '@', flushIn, telopt.SUSP},
		{ec, cantChange, 0x7f, 0, 0},
		{el, cantChange, 'U' - '@', 0, 0},
		{xon, cantChange, 'Q' - '@', 0, 0},
		{xoff, cantChange, 'S' - '@', 0, 0},
	}
}

// A lineMode is the state of LINEMODE, void while the option is off.
type lineMode struct {
	mask  byte
	chars []special
}

// beginLines offers the special characters.
func (s *host) beginLines() {
	s.lines = lineMode{chars: specials()}
	s.tellSpecials(s.lines.all())
}

func (s *host) tellSpecials(triplets []byte) {
	s.say(ifLinemode)
	s.Stream.Sub(telopt.Linemode, append([]byte{slc}, triplets...)...)
}

// linemode answers a sub-negotiation of the option. Forwarding at other octets than line ends is refused.
func (s *host) linemode(p []byte) {
	switch {
	case p[0] == modeMask && len(p) > 1:
		mask := p[1] & modeBits &^ modeAck
		if mask == s.lines.mask {
			return
		}
		if s.lines.mask = mask; p[1]&modeAck == 0 {
			s.say(ifMode, strconv.Itoa(int(mask)))
			s.Stream.Sub(telopt.Linemode, modeMask, mask|modeAck)
		}
	case p[0] == telopt.DO && len(p) > 1 && p[1] == forwardMask:
		s.Stream.Sub(telopt.Linemode, telopt.WONT, forwardMask)
	case p[0] == slc:
		if answer := s.lines.hear(p[1:]); len(answer) > 0 {
			s.tellSpecials(answer)
		}
	}
}

// all are the triplets of all characters.
func (l *lineMode) all() (out []byte) {
	for _, c := range l.chars {
		out = append(out, c.function, c.level|c.flush, c.value)
	}
	return out
}

// hear takes the host's triplets, and returns the answer to them (RFC 1184 section 2.4).
func (l *lineMode) hear(p []byte) (answer []byte) {
	for ; len(p) >= 3; p = p[3:] {
		function, flags, value := p[0], p[1], p[2]
		level := flags & levelBits
		i := slices.IndexFunc(l.chars, func(c special) bool { return c.function == function })
		switch {
		case function == 0: // all, please
			return l.all()
		case i < 0:
			if level != noSupport && flags&slcAck == 0 {
				answer = append(answer, function, noSupport, 0)
			}
		case l.chars[i].level == level && l.chars[i].value == value, flags&slcAck != 0 && l.chars[i].level == cantChange:
		case l.chars[i].level == cantChange && level == cantChange: // neither can: then there is none
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

// command is what an octet becomes where signals are trapped here, 0 for itself.
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
