package tn3270

import (
	"encoding/binary"

	"example.org/deref/fetch"
)

// Attention identifiers.
const (
	aidEnter = 0x7d
	aidClear = 0x6d
	aidPA1   = 0x6c
	aidPA2   = 0x6e
	aidPA3   = 0x6b
	aidSF    = 0x88 // a structured field
)

// aidPF returns the identifier of PF1 to PF24.
func aidPF(n int) byte {
	const list = "\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\x7a\x7b\x7c\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\x4a\x4b\x4c"
	return list[n-1]
}

// short reports whether a key sends only itself.
func short(aid byte) bool {
	return aid == aidClear || aid == aidPA1 || aid == aidPA2 || aid == aidPA3
}

// appendAddress writes a buffer address: 12 bits, encoded as graphic characters, if that is enough, else 14 bits.
func (s *screen) appendAddress(dst []byte, at int) []byte {
	if len(s.cells) > 1<<12 {
		return append(dst, byte(at>>8), byte(at))
	}
	return append(dst, graphic(at>>6), graphic(at&0x3f))
}

// graphic is IBM's table of the 64 graphic characters for six bits.
func graphic(six int) byte {
	const list = "\x40\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\x4a\x4b\x4c\x4d\x4e\x4f\x50\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\x5a\x5b\x5c\x5d\x5e\x5f" +
		"\x60\x61\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\x6a\x6b\x6c\x6d\x6e\x6f\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\x7a\x7b\x7c\x7d\x7e\x7f"
	return list[six&0x3f]
}

func appendCell(dst []byte, c cell) []byte {
	if c.apl {
		dst = append(dst, orderGE)
	}
	return append(dst, c.char)
}

// readModified returns what a key sends: itself, the cursor, and the modified fields. Some keys send only themselves, unless all is
// requested.
func (s *screen) readModified(aid byte, all bool) []byte {
	out := []byte{aid}
	if short(aid) && !all {
		return out
	}
	out = s.appendAddress(out, s.cursor)
	fields := s.fields()
	if len(fields) == 0 {
		for _, c := range s.cells {
			if c.char != 0 {
				out = appendCell(out, c)
			}
		}
		return out
	}
	for _, f := range fields {
		if s.cells[f.at].attr&modified == 0 {
			continue
		}
		out = s.appendAddress(append(out, orderSBA), s.next(f.at))
		for i, n := s.next(f.at), 0; n < f.length; i, n = s.next(i), n+1 {
			if s.cells[i].char != 0 {
				out = appendCell(out, s.cells[i])
			}
		}
	}
	return out
}

// readBuffer returns the whole screen.
func (s *screen) readBuffer() []byte {
	out := s.appendAddress([]byte{s.aid}, s.cursor)
	for _, c := range s.cells {
		if c.field {
			out = append(out, orderSF, graphic(int(c.attr)))
			continue
		}
		out = appendCell(out, c)
	}
	return out
}

// Structured fields (GA23-0059 chapter 5).
const (
	sfReadPartition = 0x01
	sfEraseReset    = 0x03
	sfOutbound      = 0x40

	opQuery     = 0x02
	opQueryList = 0x03
)

// structured executes the fields of a Write Structured Field.
func (s *screen) structured(p []byte) (reply []byte, err error) {
	for len(p) > 2 {
		n := int(binary.BigEndian.Uint16(p))
		if n == 0 {
			n = len(p)
		}
		if n < 3 || n > len(p) {
			return nil, fetch.Errorf(fetch.ErrProtocol, "a 3270 structured field of %d bytes in %d", n, len(p))
		}
		more, err := s.structuredField(p[2], p[3:n])
		if err != nil {
			return nil, err
		}
		if len(more) > 0 {
			reply = more // one reply to a record
		}
		p = p[n:]
	}
	return reply, nil
}

func (s *screen) structuredField(id byte, p []byte) ([]byte, error) {
	switch {
	case id == sfReadPartition && len(p) > 1 && (p[1] == opQuery || p[1] == opQueryList):
		return s.queryReply(), nil
	case id == sfReadPartition && len(p) > 1 && p[0] == 0:
		return s.accept(p[1:2])
	case id == sfEraseReset && len(p) > 0:
		s.erase(p[0]&0x80 != 0)
	case id == sfOutbound && len(p) > 1 && command(p[1]) != cmdWriteStructured:
		return s.accept(p[1:])
	}
	return nil, nil
}

// queryReply describes this terminal: its size, colors and highlighting, and that it replies in field mode.
func (s *screen) queryReply() []byte {
	out := []byte{aidSF}
	add := func(id byte, p ...byte) {
		out = binary.BigEndian.AppendUint16(out, uint16(len(p)+4))
		out = append(append(out, 0x81, id), p...)
	}
	size := func(rows, cols int) []byte { return []byte{byte(cols >> 8), byte(cols), byte(rows >> 8), byte(rows)} }
	add(0x80, 0x80, 0x81, 0x86, 0x87, 0x88, 0xa6)
	area := append([]byte{0x01, 0x00}, size(s.altRows, s.altCols)...)
	area = append(area, 0x01, 0x00, 0x0a, 0x02, 0xe5, 0x00, 0x02, 0x00, 0x6f, 0x09, 0x0c) // as in x3270: a 3279's dimensions
	add(0x81, binary.BigEndian.AppendUint16(area, uint16(s.altRows*s.altCols))...)
	add(0x86, 0x00, 0x08, 0x00, 0xf4, 0xf1, 0xf1, 0xf2, 0xf2, 0xf3, 0xf3, 0xf4, 0xf4, 0xf5, 0xf5, 0xf6, 0xf6, 0xf7, 0xf7)
	add(0x87, 0x05, 0x00, 0xf0, 0xf1, 0xf1, 0xf2, 0xf2, 0xf4, 0xf4, 0xf8, 0xf8)
	add(0x88, 0x00)
	add(0xa6, append(append([]byte{0x00, 0x00, 0x0b, 0x01, 0x00}, size(24, 80)...), size(s.altRows, s.altCols)...)...)
	return out
}
