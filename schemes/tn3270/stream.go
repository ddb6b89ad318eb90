package tn3270

import (
	"strings"

	"example.org/deref/fetch"
)

// Commands of the data stream (GA23-0059 chapter 3).
const (
	cmdWrite            = 0xf1
	cmdEraseWrite       = 0xf5
	cmdEraseWriteAlt    = 0x7e
	cmdEraseUnprotected = 0x6f
	cmdReadBuffer       = 0xf2
	cmdReadModified     = 0xf6
	cmdReadModifiedAll  = 0x6e
	cmdWriteStructured  = 0xf3
	cmdNoOp             = 0x03
)

// command returns the command of a code, which may be the alternative one of channels.
func command(code byte) byte {
	if i := strings.IndexByte("\x01\x05\x0d\x0f\x02\x06\x0e\x11", code); i >= 0 {
		return "\xf1\xf5\x7e\x6f\xf2\xf6\x6e\xf3"[i]
	}
	return code
}

// Orders.
const (
	orderPT  = 0x05
	orderGE  = 0x08
	orderSBA = 0x11
	orderEUA = 0x12
	orderIC  = 0x13
	orderSF  = 0x1d
	orderSA  = 0x28
	orderSFE = 0x29
	orderMF  = 0x2c
	orderRA  = 0x3c
)

// Types of attributes in SFE, MF and SA.
const (
	typeReset     = 0x00
	typeHighlight = 0x41
	typeColour    = 0x42
	typeBack      = 0x45
	typeField     = 0xc0
)

// accept executes a record, and returns the reply, if any.
func (s *screen) accept(p []byte) (reply []byte, err error) {
	if len(p) == 0 {
		return nil, nil
	}
	switch c := command(p[0]); c {
	case cmdEraseWrite, cmdEraseWriteAlt:
		s.erase(c == cmdEraseWriteAlt)
		return nil, s.write(p[1:])
	case cmdWrite:
		return nil, s.write(p[1:])
	case cmdEraseUnprotected:
		s.eraseInput(0, 0)
		s.resetModified()
		s.cursor, s.locked, s.aid = s.nextInput(0), false, noAID
		s.writes++
		return nil, nil
	case cmdReadBuffer:
		return s.readBuffer(), nil
	case cmdReadModified:
		return s.readModified(s.aid, false), nil
	case cmdReadModifiedAll:
		return s.readModified(s.aid, true), nil
	case cmdWriteStructured:
		return s.structured(p[1:])
	case cmdNoOp:
		return nil, nil
	}
	return nil, fetch.Errorf(fetch.ErrProtocol, "unknown command in the 3270 data stream: %#02x", p[0])
}

// Bits of the write control character.
const (
	wccAlarm    = 0x04
	wccUnlock   = 0x02
	wccResetMDT = 0x01
)

// write executes the orders after a write command.
func (s *screen) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	wcc := p[0]
	if wcc&wccResetMDT != 0 {
		s.resetModified()
	}
	w := writer{screen: s, p: p[1:], at: s.cursor}
	if err := w.run(); err != nil {
		return err
	}
	s.writes++
	s.alarm = wcc&wccAlarm != 0
	if wcc&wccUnlock != 0 {
		s.locked, s.aid = false, noAID
	}
	return nil
}

// A writer executes one write command.
type writer struct {
	*screen
	p    []byte // the unread rest
	at   int    // the buffer address
	look        // set by SA, for the following characters
	text bool   // the last item was a character
}

func (w *writer) run() error {
	for len(w.p) > 0 {
		c := w.p[0]
		w.p = w.p[1:]
		text := false
		var err error
		switch c {
		case orderSF:
			err = w.startField()
		case orderSFE:
			err = w.startExtended()
		case orderMF:
			err = w.modifyField()
		case orderSBA:
			w.at, err = w.address()
		case orderSA:
			err = w.setAttribute()
		case orderIC:
			w.cursor = w.at
		case orderPT:
			w.tab()
		case orderRA:
			err = w.repeat()
		case orderEUA:
			var stop int
			if stop, err = w.address(); err == nil {
				w.eraseInput(w.at, stop)
				w.at = stop
			}
		case orderGE:
			var b []byte
			if b, err = w.take(1); err == nil {
				w.put(cell{char: b[0], apl: true, look: w.look})
			}
			text = true
		default:
			w.put(cell{char: c, look: w.look})
			text = true
		}
		if err != nil {
			return err
		}
		w.text = text
	}
	return nil
}

func (w *writer) put(c cell) {
	w.cells[w.at] = c
	w.at = w.next(w.at)
}

func (w *writer) take(n int) ([]byte, error) {
	if len(w.p) < n {
		return nil, fetch.Errorf(fetch.ErrProtocol, "a 3270 record ends within an order")
	}
	b := w.p[:n]
	w.p = w.p[n:]
	return b, nil
}

// address parses a buffer address on the screen.
func (w *writer) address() (int, error) {
	b, err := w.take(2)
	if err != nil {
		return 0, err
	}
	at := addressOf(b)
	if at >= len(w.cells) {
		return 0, fetch.Errorf(fetch.ErrProtocol, "the 3270 address %d is outside of the screen of %d positions", at, len(w.cells))
	}
	return at, nil
}

func (w *writer) startField() error {
	b, err := w.take(1)
	if err == nil {
		w.put(cell{field: true, attr: b[0]})
	}
	return err
}

// pairs calls set for each attribute of SFE and MF.
func (w *writer) pairs(c *cell) error {
	n, err := w.take(1)
	if err != nil {
		return err
	}
	list, err := w.take(2 * int(n[0]))
	if err != nil {
		return err
	}
	for ; len(list) > 0; list = list[2:] {
		if list[0] == typeField {
			c.attr = list[1]
			continue
		}
		c.look.set(list[0], list[1])
	}
	return nil
}

func (w *writer) startExtended() error {
	c := cell{field: true}
	if err := w.pairs(&c); err != nil {
		return err
	}
	w.put(c)
	return nil
}

// modifyField changes the attribute at the current position, if there is one.
func (w *writer) modifyField() error {
	c := w.cells[w.at]
	if err := w.pairs(&c); err != nil {
		return err
	}
	if c.field {
		w.put(c)
	}
	return nil
}

func (w *writer) setAttribute() error {
	b, err := w.take(2)
	if err == nil {
		w.look.set(b[0], b[1])
	}
	return err
}

func (l *look) set(kind, value byte) {
	switch kind {
	case typeReset:
		*l = look{}
	case typeHighlight:
		l.highlight = value
	case typeColour:
		l.color = value
	case typeBack:
		l.back = value
	}
}

// tab moves to the next unprotected field. After text, it clears the rest of the current field (GA23-0059 "Program Tab").
func (w *writer) tab() {
	if w.text {
		for i := w.at; i < len(w.cells) && !w.cells[i].field; i++ {
			w.cells[i] = cell{}
		}
	}
	for i := w.at; i < len(w.cells); i++ {
		if c := w.cells[i]; c.field && c.attr&protected == 0 {
			w.at = w.next(i)
			return
		}
	}
	w.at = 0
}

// repeat fills up to an address. The current address means the whole screen.
func (w *writer) repeat() error {
	stop, err := w.address()
	if err != nil {
		return err
	}
	b, err := w.take(1)
	if err != nil {
		return err
	}
	c := cell{char: b[0], look: w.look}
	if b[0] == orderGE {
		if b, err = w.take(1); err != nil {
			return err
		}
		c.char, c.apl = b[0], true
	}
	for n := 0; n == 0 || w.at != stop; n++ {
		w.put(c)
	}
	return nil
}
