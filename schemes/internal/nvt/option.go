package nvt

// state is the state of one option at one end (RFC 1143 section 7).
type state struct {
	is    byte
	queue bool // request the opposite after the answer
}

const (
	no = iota
	yes
	wantNo
	wantYes
)

// verbs returns the commands that switch an option of a side on and off.
func verbs(side Side) (on, off byte) {
	if side == Us {
		return WILL, WONT
	}
	return DO, DONT
}

// On reports whether an option is in force.
func (s *Stream) On(side Side, opt byte) bool { return s.options[side][opt].is == yes }

// Forget resets an option to off. TIMING-MARK is an event, not a state, and is requested anew each time (RFC 860).
func (s *Stream) Forget(side Side, opt byte) { s.options[side][opt] = state{} }

// end tells the Handler that the options in force end with the Stream.
func (s *Stream) end() error {
	for side := range s.options {
		for opt := range s.options[side] {
			if !s.On(Side(side), byte(opt)) {
				continue
			}
			s.Forget(Side(side), byte(opt))
			if err := s.handler.Changed(Side(side), byte(opt), false); err != nil {
				return err
			}
		}
	}
	return nil
}

// Ask requests that an option is switched on or off.
func (s *Stream) Ask(side Side, opt byte, on bool) {
	st := &s.options[side][opt]
	sayOn, sayOff := verbs(side)
	now, other, want, verb := byte(yes), byte(wantNo), byte(wantYes), sayOn
	if !on {
		now, other, want, verb = no, wantYes, wantNo, sayOff
	}
	switch st.is {
	case now:
	case other:
		st.queue = true
	case want:
		st.queue = false
	default:
		st.is = want
		s.send(verb, opt)
	}
}

func (s *Stream) send(verb, opt byte) { s.out = append(s.out, IAC, verb, opt) }

// negotiate handles a request or an answer of the peer.
func (s *Stream) negotiate(verb, opt byte) error {
	side := Them
	if verb == DO || verb == DONT {
		side = Us
	}
	st := &s.options[side][opt]
	was := st.is
	if verb == WILL || verb == DO {
		s.receivedOn(side, opt, st)
	} else {
		s.receivedOff(side, opt, st)
	}
	refused := was == wantYes && st.is == no
	if (was == yes) == (st.is == yes) && !refused {
		return nil
	}
	return s.handler.Changed(side, opt, st.is == yes)
}

// receivedOn implements RFC 1143 section 7 "Upon receipt of WILL".
func (s *Stream) receivedOn(side Side, opt byte, st *state) {
	on, off := verbs(side)
	switch {
	case st.is == no && s.handler.Agree(side, opt):
		st.is = yes
		s.send(on, opt)
	case st.is == no:
		s.send(off, opt)
	case st.is == wantNo && st.queue, st.is == wantYes && !st.queue:
		*st = state{is: yes}
	case st.is == wantNo: // a request in answer to our refusal: an error in RFC 1143
		s.check(true, "RFC 1143 section 7", "WILL or DO in answer to a refusal")
		*st = state{is: no}
	case st.is == wantYes:
		*st = state{is: wantNo}
		s.send(off, opt)
	}
}

// receivedOff implements RFC 1143 section 7 "Upon receipt of WONT".
func (s *Stream) receivedOff(side Side, opt byte, st *state) {
	on, off := verbs(side)
	switch {
	case st.is == yes:
		*st = state{is: no}
		s.send(off, opt)
	case st.is == wantNo && st.queue:
		*st = state{is: wantYes}
		s.send(on, opt)
	case st.is == wantNo, st.is == wantYes:
		*st = state{is: no}
	}
}
