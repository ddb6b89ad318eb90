package warc

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"net/http/httputil"
	"strconv"
	"strings"

	"example.org/deref/fetch/mediatype"
)

// A message is one exchange of HTTP/1: the request and the answer as they crossed the wire.
type message struct {
	conn     int
	method   string
	protocol string // http/1.1
	framed   bool   // HTTP/2
	start    stamp
	request  spool
	response spool
	closed   bool // the server closed the connection in order

	head    httpHead
	payload payloadDigest
	intact  bool // all that the head announces is there
}

// isRequest reports whether p begins with a request line of HTTP/1 (RFC 9112 section 3).
func isRequest(p []byte) bool {
	line, _, _ := bytes.Cut(p, []byte("\r\n"))
	method, rest, ok := bytes.Cut(line, []byte(" "))
	target, version, ok2 := bytes.Cut(rest, []byte(" "))
	return ok && ok2 && len(method) > 0 && len(target) > 0 && bytes.Equal(method, bytes.ToUpper(method)) && bytes.HasPrefix(version, []byte("HTTP/1."))
}

func (c *capture) newMessage(conn int, line []byte) *message {
	n := len(c.done)
	if n == cap(c.done) {
		c.done = append(c.done, &message{})
	} else if c.done = c.done[:n+1]; c.done[n] == nil {
		c.done[n] = &message{}
	}
	m := c.done[n]
	method, _, _ := bytes.Cut(line, []byte(" "))
	*m = message{conn: conn, method: string(method), start: stampOf(c.rec.w.o.now()), request: c.rec.spool(), response: c.rec.spool()}
	m.response.long = sumsOf
	return m
}

func (m *message) close() {
	m.request.close()
	m.response.close()
}

// An httpHead is what the first lines of an answer say.
type httpHead struct {
	start, end int64 // of the final head within the spool, after any interim answers
	version    string
	status     int
	coding     string // Transfer-Encoding
	media      string // Content-Type, without parameters
	length     int64  // Content-Length, -1 if it is not known
}

// maxHead bounds the head of an answer.
const maxHead = 1 << 20

// readHead finds the final answer's head. RFC 9110 section 15.2: interim answers are messages of their own.
func readHead(s *spool) (h httpHead, ok bool) {
	for n := int64(8 << 10); ; n *= 8 {
		n = min(n, s.size, maxHead)
		if h, ok = parseHead(s.beginning(n)); ok || n == s.size || n == maxHead {
			return h, ok
		}
	}
}

func parseHead(b []byte) (h httpHead, ok bool) {
	at := 0
	for {
		end := headEnd(b[at:])
		if end < 0 {
			return h, false
		}
		h = httpHead{start: int64(at), end: int64(at + end)}
		line, rest, _ := bytes.Cut(b[at:at+end], []byte("\n"))
		version, status, _ := strings.Cut(strings.TrimRight(string(line), "\r"), " ")
		status, _, _ = strings.Cut(status, " ")
		h.version = version
		if h.status, _ = strconv.Atoi(status); !strings.HasPrefix(version, "HTTP/") || h.status < 100 {
			return h, false
		}
		if h.status >= 200 {
			h.fields(rest)
			return h, true
		}
		at += end
	}
}

// fields takes the fields that matter here, the first of each name, without a map of all.
func (h *httpHead) fields(b []byte) {
	h.length = -1
	var coding, media, length bool
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		switch n := bytes.IndexByte(line, ':'); {
		case n == len("Content-Type") && !media && bytes.EqualFold(line[:n], []byte("Content-Type")):
			h.media, media = mediatype.Essence(unfolded(line[n+1:], b)), true
		case n == len("Content-Length") && !length && bytes.EqualFold(line[:n], []byte("Content-Length")):
			length = true
			if n, err := strconv.ParseInt(unfolded(line[n+1:], b), 10, 64); err == nil && n >= 0 {
				h.length = n
			}
		case n == len("Transfer-Encoding") && !coding && bytes.EqualFold(line[:n], []byte("Transfer-Encoding")):
			h.coding, coding = strings.ToLower(unfolded(line[n+1:], b)), true
		}
	}
}

// unfolded is a field's value with the lines of rest that it is folded into (RFC 9112 section 5.2).
func unfolded(line, rest []byte) string {
	value := string(bytes.TrimSpace(line))
	for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		value += " " + string(bytes.TrimSpace(line))
	}
	return value
}

// headEnd is the length of a head with the empty line that ends it, -1 if there is none.
func headEnd(b []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
		if rest := b[at:]; bytes.HasPrefix(rest, []byte("\n")) {
			return at + 1
		} else if bytes.HasPrefix(rest, []byte("\r\n")) {
			return at + 2
		}
	}
}

// weigh reads the answer once: where its head ends, the digest of its payload, and whether all of it is there.
func (m *message) weigh(r *Recorder) {
	var ok bool
	if m.head, ok = readHead(&m.response); !ok {
		m.simple(r)
		return
	}
	if m.protocol == "" {
		m.protocol = strings.ToLower(m.head.version)
	}
	to := m.response.size
	switch {
	case m.method == "HEAD" || m.head.status == 204 || m.head.status == 304:
		m.intact = true
		return
	case m.head.chunked():
		var err error
		m.payload, err = r.digest(httputil.NewChunkedReader(m.response.from(m.head.end)))
		m.intact = err == nil
		return
	case m.head.length >= 0:
		m.intact = to-m.head.end >= m.head.length
		to = min(to, m.head.end+m.head.length)
	default:
		m.intact = m.closed
	}
	m.payload = r.digestOf(&m.response, m.head.end, to)
}

// simple weighs what may be the Simple-Response of HTTP/0.9: the document alone, as long as the connection lasts (RFC 1945 section 6).
func (m *message) simple(r *Recorder) {
	m.head = httpHead{length: -1}
	if n := m.response.size; n < 5 || strings.HasPrefix(string(m.response.beginning(5)), "HTTP/") {
		return // nothing, or the beginning of a head
	}
	m.protocol, m.head.version, m.head.media, m.intact = "http/0.9", "HTTP/0.9", "text/html", m.closed
	m.payload = r.digestOf(&m.response, 0, m.response.size)
}

func (h *httpHead) chunked() bool { return strings.HasSuffix(h.coding, "chunked") }

// sumsOf begins the digests of a long answer, of which b is the beginning.
func sumsOf(b []byte) *sums {
	h, ok := parseHead(b)
	switch {
	case !ok:
		return nil
	case h.chunked():
		return &sums{block: newRunning(h.start, sha256.New())}
	}
	return &sums{newRunning(h.start, sha256.New()), newRunning(h.end, sha1.New())}
}

// exchange writes the answer, and the request that it belongs to. why is the reason if the answer is cut short.
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
		res := c.newRecord(Response, m.start)
		res.describe(w, m.protocol)
		res.Fields.add("Content-Type", ResponseType)
		if !m.intact {
			res.Fields.add("WARC-Truncated", why)
		}
		res.entry = entry{status: m.head.status, media: m.head.media}
		c.store(res, &m.response, m.head.start, m.head.end, m.payload)
		answer = res.ID()
	}
	req := c.newRecord(Request, m.start)
	req.describe(w, m.protocol)
	req.Fields.add("Content-Type", RequestType)
	req.put(&m.request, 0, m.request.size)
	req.Fields.add("WARC-Concurrent-To", answer)
}

// describe adds what is known of the connection.
func (r *Record) describe(w wire, protocol string) {
	r.Fields.add("WARC-IP-Address", w.ip)
	r.Fields.add("WARC-Protocol", protocol)
	r.Fields.add("WARC-Protocol", w.tls)
	r.Fields.add("WARC-Cipher-Suite", w.cipher)
}

// store gives a record its block and digests, or makes it a revisit of an earlier one with the same payload.
func (c *capture) store(r *Record, s *spool, from, payload int64, d payloadDigest) {
	if d.size > 0 {
		r.Fields.add("WARC-Payload-Digest", d.String())
	}
	to := s.size
	first, again := visit{}, false
	if r.Fields.Get("WARC-Truncated") == "" {
		if first, again = c.rec.seen.find(d); !again {
			r.original = d
		}
	}
	if again {
		r.revisit(first)
		to = payload
	}
	r.put(s, from, to)
	if !again && !isText(r.entry.media) {
		r.sample = s.sample(payload)
	}
}

// isText reports whether a media type is one of text, which is not compressed already.
func isText(media string) bool {
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || media == "application/json" || media == "application/javascript"
}
