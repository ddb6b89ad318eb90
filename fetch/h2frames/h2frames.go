// Package h2frames reads HTTP/2 along with the ends of a connection: each frame once its last byte is there (RFC 9113 section 4).
package h2frames

import (
	"bytes"
	"errors"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// maxHeld bounds a frame, or a HEADERS frame with its continuations.
const maxHeld = 1 << 20

var errTooLong = errors.New("a frame or its fields are too long")

// A Reader reads what one end sends.
type Reader struct {
	held    bytes.Buffer
	preface bool // the first bytes are still to come
	seen    int  // bytes of held within an unfinished field block
	framer  *http2.Framer
	err     error
}

// NewReader returns a Reader of a client, which begins with the preface, or of a server. With a decoder, HEADERS and its continuations are one
// *http2.MetaHeadersFrame.
func NewReader(client bool, fields *hpack.Decoder) *Reader {
	r := &Reader{preface: client}
	r.framer = http2.NewFramer(nil, &r.held)
	r.framer.SetReuseFrames()
	r.framer.ReadMetaHeaders, r.framer.MaxHeaderListSize = fields, maxHeld
	return r
}

// Write adds bytes.
func (r *Reader) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return r.held.Write(p)
}

// Next returns the next frame, and its bytes, which are nil if it is incomplete. Both are valid until the next call of a method. The frame is nil
// for the preface. After any error but a http2.StreamError, which is about one stream, there are no more frames.
func (r *Reader) Next() (frame http2.Frame, raw []byte, err error) {
	n := r.size()
	if r.err == nil && n == 0 && r.held.Len() > maxHeld {
		r.err = errTooLong
	}
	if r.err != nil || n == 0 {
		return nil, nil, r.err
	}
	raw = r.held.Bytes()[:n]
	if r.preface {
		r.preface = false
		r.held.Next(n)
		return nil, raw, nil
	}
	after := r.held.Len() - n
	frame, err = r.framer.ReadFrame()
	r.held.Next(r.held.Len() - after) // the continuations of a bad HEADERS frame
	if h, ok := frame.(*http2.MetaHeadersFrame); ok && h.Truncated {
		err = errTooLong
	}
	if _, ok := err.(http2.StreamError); !ok {
		r.err = err
	}
	return frame, raw, err
}

// size returns how many bytes the next frame has, 0 if it is incomplete.
func (r *Reader) size() int {
	b := r.held.Bytes()
	if r.preface {
		return len(http2.ClientPreface) * min(1, len(b)/len(http2.ClientPreface))
	}
	for {
		h, err := http2.ReadFrameHeader(bytes.NewReader(b[r.seen:]))
		n := r.seen + 9 + int(h.Length)
		if err != nil || n > len(b) {
			return 0
		}
		isOpen := (h.Type == http2.FrameHeaders || h.Type == http2.FrameContinuation) && !h.Flags.Has(http2.FlagHeadersEndHeaders)
		if r.seen = n; r.framer.ReadMetaHeaders == nil || !isOpen {
			r.seen = 0
			return n
		}
	}
}
