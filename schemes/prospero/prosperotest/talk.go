package prosperotest

import "example.org/deref/schemes/prospero/internal/wire"

const (
	packetData    = 1250 // bytes of a reply in one packet
	defaultWindow = 16
	mostRequest   = 64 // packets of one request
)

// A talk is one request and its reply.
type talk struct {
	cid     uint16
	from    string
	request map[uint16][]byte
	total   uint16
	window  uint16

	reply [][]byte // its packets' data, nil until there is a reply
	acked int
	sent  int // the furthest packet sent
}

// take handles a packet of the client and returns the packets to send.
func (t *talk) take(h wire.Header, data []byte, answer func(request []byte) []byte) [][]byte {
	if h.Option == wire.Refused { // the client canceled
		t.reply, t.sent, t.acked = nil, 0, 0
		return nil
	}
	if h.Number == 0 {
		return t.acknowledged(int(h.Received))
	}
	if t.reply != nil { // a repeated request: something was lost
		t.acked = max(t.acked, min(int(h.Received), len(t.reply)))
		return t.next()
	}
	if h.Flags&wire.WindowFollows != 0 && h.Window > 0 {
		t.window = min(h.Window, 256)
	}
	if h.Number <= mostRequest {
		t.request[h.Number] = append([]byte(nil), data...)
		t.total = h.Total
	}
	var whole []byte
	for n := uint16(1); n <= t.total; n++ {
		part, ok := t.request[n]
		if !ok {
			return nil
		}
		whole = append(whole, part...)
	}
	if t.total == 0 {
		return nil
	}
	t.reply = cut(answer(whole))
	return t.next()
}

func (t *talk) acknowledged(through int) [][]byte {
	if t.reply == nil || through >= len(t.reply) {
		return nil
	}
	t.acked = max(t.acked, through)
	return t.next()
}

// cut splits a reply into packets. An empty reply is one packet.
func cut(reply []byte) (list [][]byte) {
	for len(reply) > packetData {
		list, reply = append(list, reply[:packetData]), reply[packetData:]
	}
	return append(list, reply)
}

// next returns the packets of the window after the acknowledged ones. At first only the last one has the total, and a reply of one packet has
// no numbers; later packets have both.
func (t *talk) next() (list [][]byte) {
	size := int(t.window)
	if size == 0 {
		size = defaultWindow
	}
	last := min(t.acked+size, len(t.reply))
	for n := t.acked + 1; n <= last; n++ {
		h := wire.Header{CID: t.cid, Number: uint16(n), Length: 7}
		if n == len(t.reply) {
			h.Total = uint16(n)
		}
		switch {
		case len(t.reply) == 1:
			h.Length = 3
		case t.acked > 0 && (n < last || n == len(t.reply)):
			h.Received, h.Length = 1, 9
			h.Total = uint16(len(t.reply))
		}
		if n == last && n < len(t.reply) {
			h.Flags, h.Received = wire.PleaseAck, 1
			if t.acked > 0 {
				h.Total = uint16(len(t.reply))
			}
		}
		list = append(list, h.Encode(t.reply[n-1]))
	}
	t.sent = max(t.sent, last)
	return list
}
