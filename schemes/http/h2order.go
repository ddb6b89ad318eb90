package http

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
)

// A fieldOrder rewrites net/http's frames so that the fields of a request are in the order of the plan.
//
// QUIRK: net/http keeps fields in a map, so they cross the wire in another order each time: not the one that was announced, and a recorded
// conversation could not be replayed. The blocks are encoded without a dynamic table, whatever size the server allows (RFC 7541 section
// 4.2).
type fieldOrder struct {
	names   []string // the fields of the request, in lower case
	started bool     // the preface was written
	pending []byte   // an incomplete frame
	block   []byte   // the field block of a HEADERS frame, which CONTINUATION frames continue
	flags   byte     // of that frame
	in      *hpack.Decoder
	out     *hpack.Encoder
	text    bytes.Buffer // the output of out
}

const (
	frameHeaders      = 1 // types: RFC 9113 section 6
	frameContinuation = 9
	endHeaders        = 4    // flags
	paddedOrPriority  = 0x28 // net/http does not send these
	maxFrame          = 16384
	preface           = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" // RFC 9113 section 3.4
)

func newFieldOrder() *fieldOrder {
	o := &fieldOrder{in: hpack.NewDecoder(4096, nil)} // the initial size of net/http's encoder, which announces a smaller one itself
	o.out = hpack.NewEncoder(&o.text)
	o.out.SetMaxDynamicTableSizeLimit(0)
	return o
}

// set sets the order of the next request's fields.
func (o *fieldOrder) set(lines []fetch.Step) {
	o.names = o.names[:0]
	for _, l := range lines[1:] {
		o.names = append(o.names, strings.ToLower(strings.TrimSuffix(l.Verb, ":")))
	}
}

// rewrite appends to b the frames that p completes.
func (o *fieldOrder) rewrite(b, p []byte) ([]byte, error) {
	o.pending = append(o.pending, p...)
	if !o.started {
		if len(o.pending) < len(preface) {
			return b, nil
		}
		b, o.pending, o.started = append(b, o.pending[:len(preface)]...), o.pending[len(preface):], true
	}
	for len(o.pending) >= frameHead {
		n := frameHead + int(binary.BigEndian.Uint32(o.pending)>>8)
		if len(o.pending) < n {
			break
		}
		frame := o.pending[:n]
		o.pending = o.pending[n:]
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

// ordered appends the frames of the block with its fields sorted. Those that are not in the plan, such as the pseudo-fields, come first.
func (o *fieldOrder) ordered(b, stream []byte) ([]byte, error) {
	fields, err := o.in.DecodeFull(o.block)
	if err != nil {
		return b, fetch.Errorf(fetch.ErrProtocol, "net/http wrote a field block that is not HPACK: %v", err)
	}
	slices.SortStableFunc(fields, func(a, b hpack.HeaderField) int {
		return slices.Index(o.names, a.Name) - slices.Index(o.names, b.Name)
	})
	o.text.Reset()
	for _, f := range fields {
		o.out.WriteField(f) // a bytes.Buffer does not fail
	}
	kind, flags := byte(frameHeaders), o.flags&^endHeaders
	for block := o.text.Bytes(); ; kind, flags = frameContinuation, 0 {
		n := min(len(block), maxFrame)
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
