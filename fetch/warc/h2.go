package warc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
)

// HTTP/2 is written as HTTP/1.1 messages, with "h2" or "h2c" in WARC-Protocol, as the IIPC's proposal 42 says. The frames would be of no
// use to any reader, and their compressed headers can be decoded only with everything that preceded them on the connection. The request
// is made from the announced steps, since secrets in its raw bytes are blanked; the response is read from its frames.

// preface is the start of the client's connection preface (RFC 9113 section 3.4).
const preface = "PRI * HTTP/2.0\r\n"

// Types and flags of frames (RFC 9113 section 6).
const (
	frameData         = 0
	frameHeaders      = 1
	frameContinuation = 9
	flagEndStream     = 1
	flagEndHeaders    = 4
	flagPadded        = 8
	flagPriority      = 32

	maxFrame = 1 << 20 // bytes held; we announce no frame size above the default 16 KiB
)

// frames decodes the HTTP/2 frames of a server, over all requests of a connection.
type frames struct {
	held  []byte // an unfinished frame
	block []byte // an unfinished header block
	ends  bool   // the stream ends with that header
	table *hpack.Decoder
	bad   bool
}

func newFrames() *frames {
	return &frames{table: hpack.NewDecoder(4096, nil)} // the default table size (section 6.5.2)
}

// read decodes bytes from the server into m.
func (f *frames) read(p []byte, m *message, blank func([]byte) []byte) {
	f.held = append(f.held, p...)
	for len(f.held) >= 9 && !f.bad {
		n := int(binary.BigEndian.Uint32(f.held) >> 8)
		if n > maxFrame {
			f.bad = true
			return
		}
		if len(f.held) < 9+n {
			return
		}
		f.frame(f.held[3], f.held[4], f.held[9:9+n], m, blank)
		f.held = append(f.held[:0], f.held[9+n:]...)
	}
}

func (f *frames) frame(kind, flags byte, p []byte, m *message, blank func([]byte) []byte) {
	if (kind == frameData || kind == frameHeaders) && flags&flagPadded != 0 {
		if len(p) == 0 || int(p[0]) >= len(p) {
			f.bad = true
			return
		}
		p = p[1 : len(p)-int(p[0])]
	}
	switch kind {
	case frameData:
		m.response.Write(p)
		m.closed = m.closed || flags&flagEndStream != 0
	case frameHeaders:
		if flags&flagPriority != 0 {
			p = p[min(5, len(p)):]
		}
		f.block, f.ends = append(f.block[:0], p...), flags&flagEndStream != 0
		f.header(flags, m, blank)
	case frameContinuation:
		f.block = append(f.block, p...)
		f.header(flags, m, blank)
	}
}

// header decodes a complete header block. A trailer is decoded only to keep the table current, and left out.
func (f *frames) header(flags byte, m *message, blank func([]byte) []byte) {
	if len(f.block) > maxHead {
		f.bad = true
	}
	if f.bad || flags&flagEndHeaders == 0 {
		return
	}
	fields, err := f.table.DecodeFull(f.block)
	if err != nil {
		f.bad = true
		return
	}
	m.closed = m.closed || f.ends
	if len(fields) > 0 && fields[0].Name == ":status" && !strings.HasPrefix(fields[0].Value, "1") {
		m.response.Write(headOf(fields, blank))
	}
}

// headOf writes a head in the form of HTTP/1.1.
func headOf(fields []hpack.HeaderField, blank func([]byte) []byte) []byte {
	var code int
	fmt.Sscanf(fields[0].Value, "%3d", &code)
	b := fmt.Appendf(nil, "HTTP/1.1 %03d %s\r\n", code, http.StatusText(code))
	for _, x := range fields[1:] {
		if !strings.HasPrefix(x.Name, ":") && !strings.ContainsAny(x.Name+x.Value, "\r\n\x00") {
			line := fmt.Appendf(nil, "%s: %s\r\n", x.Name, x.Value)
			if blank != nil {
				line = blank(line)
			}
			b = append(b, line...)
		}
	}
	return append(b, "\r\n"...)
}

// h2 records HTTP/2. It reports whether e belongs to it.
func (c *capture) h2(e *fetch.Event) bool {
	f := c.rec.conns.frames(e.Conn, e.Dir == fetch.FromClient && bytes.HasPrefix(e.Data, []byte(preface)))
	if f == nil {
		return false
	}
	m := c.h2Message
	if m == nil { // the server's first frames precede any request
		m = &message{}
	}
	if m.conn == 0 {
		m.conn = e.Conn
	}
	if e.Dir == fetch.FromServer {
		f.read(e.Data, m, c.redact)
	}
	return true
}

// addStep records the steps of an HTTP/2 request.
func (c *capture) addStep(s fetch.Step) {
	name, isField := strings.CutSuffix(s.Verb, ":")
	switch {
	case len(s.Args) == 2 && s.Args[1] == "HTTP/2":
		c.h2Message = c.newMessage(0, []byte(s.Verb))
		c.h2Message.protocol, c.h2Message.framed = "h2", true
		fmt.Fprintf(&c.h2Message.request, "%s %s HTTP/1.1\r\n", s.Verb, s.Args[0])
	case c.h2Message != nil && isField && c.h2Message.response.size == 0:
		value := strings.Join(s.Args, " ")
		if s.Secret {
			value = "***"
		}
		fmt.Fprintf(&c.h2Message.request, "%s: %s\r\n", name, value)
	}
}
