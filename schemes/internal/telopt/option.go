package telopt

// state is what one end knows of one option: RFC 1143 section 7, with the queue bit beside it.
type state struct {
	is    byte
	queue bool // the opposite is wished as soon as the answer has come
}

const (
	no = iota
	yes
	wantNo
	wantYes
)

// verbs of an option: said to switch it on and off.
func verbs(side Side) (on, off byte) {
	if side == Us {
		return WILL, WONT
	}
	return DO, DONT
}

// On reports whether an option is in force.
func (s *Stream) On(side Side, opt byte) bool { return s.options[side][opt].is == yes }

// Forget takes an option that was agreed for one that is off: TIMING-MARK is no state, and is asked for anew each time (RFC 860).
func (s *Stream) Forget(side Side, opt byte) { s.options[side][opt] = state{} }

// Status is the options in force as RFC 859 reports them: WILL and the number for this end's, DO for the other's.
func (s *Stream) Status() (list []byte) {
	for side := range s.options {
		on, _ := verbs(Side(side))
		for opt := range s.options[side] {
			if s.options[side][opt].is != yes {
				continue
			}
			if list = append(list, on, byte(opt)); opt == SE { // SE is doubled in a STATUS
				list = append(list, SE)
			}
		}
	}
	return list
}

// Ask asks the other end to switch an option on or off.
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
		s.say(verb, opt)
	}
}

func (s *Stream) say(verb, opt byte) { s.answers = append(s.answers, IAC, verb, opt) }

// negotiate is told what the other end wishes, or answers.
func (s *Stream) negotiate(verb, opt byte) error {
	side := Them
	if verb == DO || verb == DONT {
		side = Us
	}
	st := &s.options[side][opt]
	was := st.is
	if verb == WILL || verb == DO {
		s.toldOn(side, opt, st)
	} else {
		s.toldOff(side, opt, st)
	}
	refused := was == wantYes && st.is == no
	if (was == yes) == (st.is == yes) && !refused {
		return nil
	}
	return s.end.Changed(side, opt, st.is == yes)
}

// toldOn is RFC 1143 section 7 "Upon receipt of WILL".
func (s *Stream) toldOn(side Side, opt byte, st *state) {
	on, off := verbs(side)
	switch {
	case st.is == no && s.end.Agree(side, opt):
		st.is = yes
		s.say(on, opt)
	case st.is == no:
		s.say(off, opt)
	case st.is == wantNo && st.queue, st.is == wantYes && !st.queue:
		*st = state{is: yes}
	case st.is == wantNo: // our refusal was answered by a wish: RFC 1143 takes it for an error
		*st = state{is: no}
	case st.is == wantYes:
		*st = state{is: wantNo}
		s.say(off, opt)
	}
}

// toldOff is RFC 1143 section 7 "Upon receipt of WONT".
func (s *Stream) toldOff(side Side, opt byte, st *state) {
	on, off := verbs(side)
	switch {
	case st.is == yes:
		*st = state{is: no}
		s.say(off, opt)
	case st.is == wantNo && st.queue:
		*st = state{is: wantYes}
		s.say(on, opt)
	case st.is == wantNo, st.is == wantYes:
		*st = state{is: no}
	}
}
