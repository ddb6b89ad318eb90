package warc

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
	"example.org/deref/fetch/h2frames"
)

// HTTP/2 is written as HTTP/1.1 messages, with "h2" or "h2c" in WARC-Protocol, as the IIPC's proposal 42 says. The frames would be of no
// use to any reader, and their compressed headers can be decoded only with everything that preceded them on the connection. The request
// is made from the announced steps, since secrets in its raw bytes are blanked; the response is read from its frames.

// newFrames returns a reader of the server's frames, over all requests of a connection.
func newFrames() *h2frames.Reader {
	return h2frames.NewReader(false, hpack.NewDecoder(4096, nil)) // the default table size (section 6.5.2)
}

// addFrames adds the frames that in has read to m. A trailer is left out.
func (m *message) addFrames(in *h2frames.Reader, blank func([]byte) []byte) {
	for {
		frame, raw, _ := in.Next()
		switch x := frame.(type) {
		case *http2.DataFrame:
			m.response.Write(x.Data())
			m.closed = m.closed || x.StreamEnded()
		case *http2.MetaHeadersFrame:
			m.closed = m.closed || x.StreamEnded()
			if status := x.PseudoValue("status"); status != "" && status[0] != '1' {
				m.response.Write(headOf(status, x.RegularFields(), blank))
			}
		}
		if raw == nil {
			return
		}
	}
}

// headOf writes a head in the form of HTTP/1.1. A transfer coding, which HTTP/2 does not have, is omitted: the body has none.
func headOf(status string, fields []hpack.HeaderField, blank func([]byte) []byte) []byte {
	code, _ := strconv.Atoi(status)
	b := fmt.Appendf(nil, "HTTP/1.1 %03d %s\r\n", code, http.StatusText(code))
	for _, x := range fields {
		if x.Name != "transfer-encoding" && !strings.ContainsAny(x.Name+x.Value, "\r\n\x00") {
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
	f := c.rec.conns.frames(e.Conn, e.Dir == fetch.FromClient && bytes.HasPrefix(e.Data, []byte("PRI * HTTP/2.0\r\n")))
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
		f.Write(e.Data)
		m.addFrames(f, c.redact)
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
