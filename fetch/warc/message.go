package warc

import (
	"bytes"
	"net/http/httputil"
	"strings"
	"time"
)

// A message is one HTTP exchange: the request and the response as they crossed the wire.
type message struct {
	conn     int
	method   string
	protocol string // http/1.1
	framed   bool   // over HTTP/2
	start    time.Time
	request  spool
	response spool
	closed   bool // the server closed the connection cleanly

	head    httpHead
	payload payloadDigest
	intact  bool // everything that the head announces was received
}

// isRequest reports whether p begins with a request line of HTTP/1 (RFC 9112 section 3).
func isRequest(p []byte) bool {
	line, _, _ := bytes.Cut(p, []byte("\r\n"))
	method, rest, ok := bytes.Cut(line, []byte(" "))
	target, version, ok2 := bytes.Cut(rest, []byte(" "))
	return ok && ok2 && len(method) > 0 && len(target) > 0 && bytes.Equal(method, bytes.ToUpper(method)) &&
		bytes.HasPrefix(version, []byte("HTTP/1."))
}

func (c *capture) newMessage(conn int, line []byte) *message {
	method, _, _ := bytes.Cut(line, []byte(" "))
	m := &message{conn: conn, method: string(method), start: c.rec.w.o.now(), request: c.rec.spool(), response: c.rec.spool()}
	c.messages = append(c.messages, m)
	return m
}

func (m *message) close() {
	m.request.close()
	m.response.close()
}

// analyze reads the response once: where its head ends, the digest of its payload, and whether it is complete.
func (m *message) analyze(r *Recorder) {
	if m.isSimple() {
		m.analyzeSimple()
		return
	}
	head, ok := readHead(&m.response)
	if !ok { // there is nothing, or only the beginning of a head
		head = httpHead{end: min(m.response.size, maxHead), length: -1}
	}
	if m.head = head; r.w.o.HideCookies {
		m.hideCookies()
	}
	if !ok {
		return
	}
	if m.protocol == "" {
		m.protocol = strings.ToLower(m.head.version)
	}
	switch {
	case m.method == "HEAD" || m.head.status == 204 || m.head.status == 304:
		m.intact = true
		return
	case m.head.chunked:
		var err error
		m.payload, err = digest(httputil.NewChunkedReader(m.response.from(m.head.end)))
		m.intact = err == nil
		return
	case m.head.length >= 0:
		if m.intact = m.response.size-m.head.end >= m.head.length; m.intact { // otherwise the sum may overflow
			m.response.truncate(m.head.end + m.head.length) // what follows is not a part of the response
		}
	default:
		m.intact = m.closed
	}
	m.payload = digestOf(&m.response, m.head.end, m.response.size)
}

// hideCookies overwrites the values of Set-Cookie (RFC 6265 section 4.1) in the head of the response, and in interim responses.
func (m *message) hideCookies() {
	head := bytes.Clone(m.response.bytes(0, m.head.end))
	hides := false
	for line := range bytes.Lines(head) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if line[0] == ' ' || line[0] == '\t' { // it continues the field before (RFC 9112 section 5.2)
			value = line
		} else {
			hides = bytes.EqualFold(name, []byte("Set-Cookie")) || bytes.EqualFold(name, []byte("Set-Cookie2"))
		}
		for i, c := range value {
			if hides && strings.IndexByte(" \t\r\n", c) < 0 {
				value[i] = '*'
			}
		}
	}
	m.response.overwrite(head)
}

// isSimple reports whether the response is a Simple-Response of HTTP/0.9: the document alone, until the connection closes (RFC 1945 section 6).
func (m *message) isSimple() bool {
	return m.response.size >= 5 && string(m.response.bytes(0, 5)) != "HTTP/"
}

func (m *message) analyzeSimple() {
	m.head = httpHead{length: -1, entry: entry{media: "text/html"}}
	m.protocol, m.intact = "http/0.9", m.closed
	m.payload = digestOf(&m.response, 0, m.response.size)
}

// exchange makes the records of the response and of its request. why is the reason if the response is truncated.
func (c *capture) exchange(m *message, why string) {
	w := c.rec.conns.get(m.conn)
	if m.framed {
		m.request.Write([]byte("\r\n"))
		if w.tls == "" {
			m.protocol = "h2c"
		}
	}
	answer := ""
	if m.response.size > 0 {
		res := c.newRecord(Response, "", m.start)
		c.describe(res, w, m.protocol)
		res.Fields.add("Content-Type", ResponseType)
		if !m.intact {
			res.Fields.add("WARC-Truncated", why)
		}
		res.entry = m.head.entry
		if m.head.status == 304 {
			c.referToKnown(res)
		}
		c.store(res, &m.response, m.head.start, m.head.end, m.payload)
		if res.Type() == Response && m.payload.size > 0 {
			res.Fields.add("WARC-Identified-Payload-Type", identified(m.payloadHead()))
		}
		answer = res.ID()
	}
	req := c.newRecord(Request, "", m.start)
	req.compact = c.isKnown
	c.describe(req, w, m.protocol)
	req.Fields.add("Content-Type", RequestType)
	req.put(&m.request, 0, m.request.size)
	req.Fields.add("WARC-Concurrent-To", answer)
}

// describe adds the facts about the connection. A compact record has none: the revisit to which it belongs has them.
func (c *capture) describe(r *Record, w connection, protocol string) {
	if r.compact {
		return
	}
	r.Fields.add("WARC-IP-Address", w.ip)
	r.Fields.add("WARC-Protocol", protocol)
	r.Fields.add("WARC-Protocol", w.tls)
	r.Fields.add("WARC-Cipher-Suite", w.cipher)
	if kind := r.Type(); kind != Request && kind != Metadata {
		c.certify(r, w)
	}
}

// store gives a record its block and digests, or makes it a revisit of an earlier one with the same payload.
func (c *capture) store(r *Record, s *spool, from, payload int64, d payloadDigest) {
	if d.size > 0 {
		r.Fields.add("WARC-Payload-Digest", d.String())
	}
	to := s.size
	first, again := Original{}, false
	if d.size > 0 && r.Fields.Get("WARC-Truncated") == "" {
		if !c.rec.Whole {
			inHTTP := r.Type() == Response
			if first, again = c.rec.w.stored.lookup(d, inHTTP); !again {
				first, again = c.rec.w.o.Known.copyOf(d.sum, inHTTP)
				c.isKnown = c.isKnown || again
			}
		}
		r.isOriginal = !again
	}
	if again {
		r.revisit(sameProfile, first)
		to = payload
	}
	r.put(s, from, to)
	if !again && !isText(r.entry.media) {
		r.sample = s.sample(payload)
	}
}

// confirmed returns the known record of which the server said that it has not changed.
func (c *capture) confirmed() (p recordRef, ok bool) {
	if k := c.rec.w.o.Known; k != nil {
		if v, is := k.same.Load(c.plan); is {
			return v.(recordRef), true
		}
	}
	return p, false
}

// referToKnown makes r a revisit that the server has confirmed. With a known record it refers to that one.
func (c *capture) referToKnown(r *Record) {
	first := Original{Target: c.out.URI}
	if p, ok := c.confirmed(); ok {
		c.isKnown = true
		first = c.rec.w.o.Known.describeRef(p)
	}
	r.revisit(notModifiedProfile, first)
	r.Fields.add("WARC-Payload-Digest", first.Digest)
}

// isText reports whether a media type is a text type, which is not compressed already.
func isText(media string) bool {
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || media == "application/json" ||
		media == "application/javascript"
}
