package http

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
)

// A fieldOrder passes net/http's frames on, with the fields of a request in the order of the plan.
//
// QUIRK: net/http keeps fields in a map, so they cross the wire in another order each time: not the one that was announced, and a recorded
// conversation could not be played again. The blocks are encoded without a dynamic table, whatever size the server allows (RFC 7541 section 4.2).
type fieldOrder struct {
	names []string // of the request, in lower case
	begun bool     // the preface has gone
	held  []byte   // octets whose frame is not whole
	block []byte   // of a HEADERS frame that CONTINUATION frames go on
	flags byte     // of that frame
	in    *hpack.Decoder
	out   *hpack.Encoder
	text  bytes.Buffer // what out writes
}

const (
	frameHeaders      = 1 // types: RFC 9113 section 6
	frameContinuation = 9
	endHeaders        = 4    // flags
	paddedOrPriority  = 0x28 // which net/http does not send
	mostOfFrame       = 16384
	preface           = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" // RFC 9113 section 3.4
)

func newFieldOrder() *fieldOrder {
	o := &fieldOrder{in: hpack.NewDecoder(4096, nil)} // the size that net/http's encoder begins with, and lowers by itself
	o.out = hpack.NewEncoder(&o.text)
	o.out.SetMaxDynamicTableSizeLimit(0)
	return o
}

// of sets the order of the next request's fields.
func (o *fieldOrder) of(lines []fetch.Step) {
	o.names = o.names[:0]
	for _, l := range lines[1:] {
		o.names = append(o.names, strings.ToLower(strings.TrimSuffix(l.Verb, ":")))
	}
}

// next appends to b the whole frames that p completes.
func (o *fieldOrder) next(b, p []byte) ([]byte, error) {
	o.held = append(o.held, p...)
	if !o.begun {
		if len(o.held) < len(preface) {
			return b, nil
		}
		b, o.held, o.begun = append(b, o.held[:len(preface)]...), o.held[len(preface):], true
	}
	for len(o.held) >= frameHead {
		n := frameHead + int(binary.BigEndian.Uint32(o.held)>>8)
		if len(o.held) < n {
			break
		}
		frame := o.held[:n]
		o.held = o.held[n:]
		if kind := frame[3]; kind != frameHeaders && kind != frameContinuation || kind == frameHeaders && frame[4]&paddedOrPriority != 0 {
			b = append(b, frame...)
			continue
		}
		if frame[3] == frameHeaders {
			o.flags = frame[4]
		}
		o.block = append(o.block, frame[frameHead:]...)
		if frame[4]&endHeaders == 0 {
			continue
		}
		var err error
		if b, err = o.ordered(b, frame[5:frameHead]); err != nil {
			return b, err
		}
		o.block = o.block[:0]
	}
	return b, nil
}

// ordered appends the frames of the block, whose fields are sorted; those that the plan does not name, the pseudo-fields among them, come first.
func (o *fieldOrder) ordered(b, stream []byte) ([]byte, error) {
	fields, err := o.in.DecodeFull(o.block)
	if err != nil {
		return b, fetch.Errorf(fetch.ErrProtocol, "net/http would send a block that is not HPACK: %v", err)
	}
	slices.SortStableFunc(fields, func(a, b hpack.HeaderField) int {
		return slices.Index(o.names, a.Name) - slices.Index(o.names, b.Name)
	})
	o.text.Reset()
	for _, f := range fields {
		o.out.WriteField(f) // into a bytes.Buffer
	}
	kind, flags := byte(frameHeaders), o.flags&^endHeaders
	for block := o.text.Bytes(); ; kind, flags = frameContinuation, 0 {
		n := min(len(block), mostOfFrame)
		if n == len(block) {
			flags |= endHeaders
		}
		b = append(b, byte(n>>16), byte(n>>8), byte(n), kind, flags)
		b = append(append(b, stream...), block[:n]...)
		if block = block[n:]; len(block) == 0 {
			return b, nil
		}
	}
}
