package http

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
	"example.org/deref/fetch/h2frames"
)

// A fieldOrder rewrites net/http's frames so that the fields of a request are in the order of the plan.
//
// QUIRK: net/http keeps fields in a map, so they cross the wire in another order each time: not the one that was announced, and a recorded
// conversation could not be replayed. The blocks are encoded without a dynamic table, whatever size the server allows (RFC 7541 section
// 4.2).
type fieldOrder struct {
	names   []string // the fields of the request, in lower case
	in      *h2frames.Reader
	fields  *hpack.Encoder
	block   bytes.Buffer // of fields
	frames  *http2.Framer
	written bytes.Buffer // by frames
}

const maxFrame = 16384 // RFC 9113 section 4.2

func newFieldOrder() *fieldOrder {
	// 4096 is the initial size of net/http's encoder, which announces a smaller one itself
	o := &fieldOrder{in: h2frames.NewReader(true, hpack.NewDecoder(4096, nil))}
	o.frames, o.fields = http2.NewFramer(&o.written, nil), hpack.NewEncoder(&o.block)
	o.fields.SetMaxDynamicTableSizeLimit(0)
	return o
}

// set sets the order of the next request's fields.
func (o *fieldOrder) set(lines []fetch.Step) {
	o.names = o.names[:0]
	for _, l := range lines[1:] {
		o.names = append(o.names, strings.ToLower(strings.TrimSuffix(l.Verb, ":")))
	}
}

// rewrite returns the frames that p completes. They are valid until the next call.
func (o *fieldOrder) rewrite(p []byte) ([]byte, error) {
	o.written.Reset()
	o.in.Write(p)
	for {
		frame, raw, err := o.in.Next()
		switch h, isHeaders := frame.(*http2.MetaHeadersFrame); {
		case err != nil:
			return nil, err
		case raw == nil:
			return o.written.Bytes(), nil
		case isHeaders:
			o.order(h)
		default:
			o.written.Write(raw)
		}
	}
}

// order writes h with its fields sorted. Those that are not in the plan, such as the pseudo-fields, come first.
func (o *fieldOrder) order(h *http2.MetaHeadersFrame) {
	slices.SortStableFunc(h.Fields, func(a, b hpack.HeaderField) int {
		return slices.Index(o.names, a.Name) - slices.Index(o.names, b.Name)
	})
	o.block.Reset()
	for _, f := range h.Fields {
		o.fields.WriteField(f) // a bytes.Buffer does not fail
	}
	p := http2.HeadersFrameParam{StreamID: h.StreamID, EndStream: h.StreamEnded(), BlockFragment: o.block.Next(maxFrame)}
	p.EndHeaders = o.block.Len() == 0
	o.frames.WriteHeaders(p)
	for o.block.Len() > 0 {
		part := o.block.Next(maxFrame)
		o.frames.WriteContinuation(h.StreamID, o.block.Len() == 0, part)
	}
}
