// Package wire encodes and decodes the formats that both ends of Prospero use: the header of the datagram protocol ARDP, and the tokens of
// the request language.
package wire

import (
	"encoding/binary"

	"example.org/deref/fetch"
)

// A Header is the control part of an ARDP packet, version 0. A zero field is not written unless a later one is.
type Header struct {
	CID      uint16 // connection ID
	Number   uint16 // number of the packet in its message; 0 is a control packet outside the sequence
	Total    uint16 // number of packets in the message; 0 if not known yet
	Received uint16 // the sender has all of the peer's packets up to this one
	Wait     uint16 // seconds for which the peer suspends its retries
	Flags    byte
	Option   byte
	Window   uint16

	Length   int    // bytes of the header as read; when writing, the minimum
	Redirect []byte // address and port of options 4 and 5
}

// Flags of byte 11.
const (
	AddressFollows  = 0x01
	PriorityFollows = 0x02
	ProtocolFollows = 0x04
	WindowFollows   = 0x08
	Sequenced       = 0x40 // a control packet that counts in the sequence
	PleaseAck       = 0x80
)

// Options of byte 12.
const (
	Refused        = 1 // from a client: cancel
	ResetReceived  = 2
	Redirected     = 4
	RedirectNotify = 5
)

// errHeader is the error about a packet that is not of version 0.
var errHeader = &fetch.Error{Kind: fetch.ErrProtocol, Text: "not an ARDP packet"}

// Decode splits a packet into header and data. A header may end after any field.
func Decode(b []byte) (h Header, data []byte, err error) {
	if len(b) == 0 {
		return h, nil, errHeader
	}
	n := int(b[0] & 0x3f)
	if b[0]>>6 != 0 || n == 0 || n > len(b) {
		return h, nil, errHeader
	}
	field := func(i int, missing uint16) uint16 {
		if n < i+2 {
			return missing
		}
		return binary.BigEndian.Uint16(b[i:])
	}
	h = Header{CID: field(1, 0), Number: field(3, 1), Received: field(7, 0), Wait: field(9, 0), Length: n}
	if n < 5 {
		h.Total = 1 // a message of one packet needs no numbers
	}
	h.Total = field(5, h.Total)
	if n > 11 {
		h.Flags = b[11]
	}
	if n > 12 {
		h.Option = b[12]
	}
	return h, b[n:], h.rest(b[min(13, n):n])
}

// rest parses the fields that the flags and the option announce, low bit first.
func (h *Header) rest(b []byte) error {
	take := func(n int) []byte {
		if n > len(b) {
			b = nil
			return nil
		}
		part := b[:n]
		b = b[n:]
		return part
	}
	if h.Flags&AddressFollows != 0 {
		if head := take(2); head == nil || take(int(head[1])) == nil {
			return errHeader
		}
	}
	for _, flag := range [...]byte{PriorityFollows, ProtocolFollows, WindowFollows} {
		if h.Flags&flag == 0 {
			continue
		}
		v := take(2)
		if v == nil {
			return errHeader
		}
		if flag == WindowFollows {
			h.Window = binary.BigEndian.Uint16(v)
		}
	}
	if h.Option == Redirected || h.Option == RedirectNotify {
		if h.Redirect = take(6); h.Redirect == nil {
			return errHeader
		}
	}
	return nil
}

// Encode writes the shortest possible header, and data after it.
func (h Header) Encode(data []byte) []byte {
	b := make([]byte, 13, 17+len(data))
	binary.BigEndian.PutUint16(b[1:], h.CID)
	binary.BigEndian.PutUint16(b[3:], h.Number)
	binary.BigEndian.PutUint16(b[5:], h.Total)
	binary.BigEndian.PutUint16(b[7:], h.Received)
	binary.BigEndian.PutUint16(b[9:], h.Wait)
	b[11], b[12] = h.Flags, h.Option
	if h.Flags&WindowFollows != 0 {
		b = binary.BigEndian.AppendUint16(b, h.Window)
	}
	if len(b) == 13 {
		b = b[:min(13, max(h.needs(), h.Length))]
	}
	b[0] = byte(len(b))
	return append(b, data...)
}

// needs returns the length up to the last field that does not have its default.
func (h Header) needs() int {
	switch {
	case h.Option != 0:
		return 13
	case h.Flags != 0:
		return 12
	case h.Wait != 0:
		return 11
	case h.Received != 0:
		return 9
	case h.Number != 1 || h.Total != 1:
		return 7
	}
	return 3
}
