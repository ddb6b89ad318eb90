package fetch

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"example.org/deref/fetch/internal/secrets"
)

// maxTracedLine bounds the held part of an unfinished line.
const maxTracedLine = 64 << 10

// A tap turns the bytes of one direction of a connection into Events: lines if the protocol has lines, otherwise pieces. Events that may carry
// credentials never end inside a secret, and secrets in them are masked. Documents are not changed.
type tap struct {
	mu   sync.Mutex
	dir  byte
	held []byte
	past bool         // RecordHead: the empty line has passed
	seen secrets.Tail // of documents

	frames bool // RecordFrames

	framer  Framer
	decoded []string // frames that no event has shown
}

// tap reports p. inReply is set if p belongs to a reply.
func (e *Env) tap(t *tap, conn int, rec RecordMode, p []byte, inReply bool) {
	if e.trace == nil || len(p) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.decode(e, rec, p)
	if len(t.held) > 0 {
		t.held = append(t.held, p...)
		p = t.held
	}
	at := time.Now()
	t.frames = rec == RecordFrames
	body := t.isBody(rec, inReply)
	switch {
	case rec == RecordLines, rec == RecordTexts:
		p = t.lines(e, conn, at, p, false, body)
	case rec == RecordHead && !t.past:
		if p = t.lines(e, conn, at, p, true, false); t.past {
			p = t.pieces(e, conn, at, p, t.isBody(rec, inReply))
		}
	default:
		p = t.pieces(e, conn, at, p, body)
	}
	t.held = append(t.held[:0], p...)
}

// isBody reports whether the next bytes belong to a document, or to frames that may contain one. A line from a server belongs to a document
// unless a reply is being read.
func (t *tap) isBody(rec RecordMode, inReply bool) bool {
	switch {
	case t.dir != FromServer:
		return false
	case rec == RecordLines:
		return !inReply
	case rec == RecordHead:
		return t.past
	}
	return true
}

// lines emits the complete lines of p; of a head, those up to the empty one. It returns the rest.
func (t *tap) lines(e *Env, conn int, at time.Time, p []byte, head, body bool) []byte {
	for !t.past {
		n := bytes.IndexByte(p, '\n') + 1
		if !body {
			n = e.secrets.Line(p)
		}
		if n == 0 {
			if len(p) < maxTracedLine {
				break
			}
			if n = len(p); !body {
				n = e.secrets.Shown(p)
			}
			if n == 0 {
				break
			}
		}
		t.past = head && (len(bytes.TrimRight(p[:n], "\r\n")) == 0 || bytes.HasSuffix(p[:n], []byte("\n\r\n")))
		t.emit(e, conn, at, p[:n], true, body)
		p = p[n:]
	}
	return p
}

// pieces emits p up to where a secret may begin, and returns the rest. Of a document it emits everything.
func (t *tap) pieces(e *Env, conn int, at time.Time, p []byte, body bool) []byte {
	n := len(p)
	if !body {
		n = e.secrets.Shown(p)
	}
	t.emit(e, conn, at, p[:n], false, body)
	return p[n:]
}

// restart makes the next bytes the first of a message.
func (t *tap) restart() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.past = false
}

func (t *tap) emit(e *Env, conn int, at time.Time, p []byte, text, body bool) {
	if len(p) == 0 {
		return
	}
	switch {
	case body:
		e.watchBody(&t.seen, p)
	case t.dir == FromServer:
		p = e.secrets.MaskReply(p)
	case text:
		p = e.maskSent(p)
	case t.frames:
		p = e.secrets.MaskFrames(p)
	default:
		p = e.secrets.MaskBytes(p)
	}
	e.trace(Event{Time: at, Conn: conn, Dir: t.dir, Data: p, Text: text, Body: body, Frames: t.decoded})
	t.decoded = nil
}

// flushTap reports the bytes that were held back. It is called when the connection no longer belongs to the request.
func (e *Env) flushTap(t *tap, conn int, rec RecordMode, inReply bool) {
	if e.trace == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	body := t.isBody(rec, inReply)
	switch {
	case body:
	case t.dir == FromServer:
		t.held = e.secrets.MaskReplyEnd(t.held)
	default:
		t.held = e.secrets.MaskEnd(t.held)
	}
	t.emit(e, conn, time.Now(), t.held, rec == RecordLines || rec == RecordTexts || rec == RecordHead && !t.past, body)
	t.held, t.seen, t.framer = t.held[:0], secrets.Tail{}, Framer{}
}

// note puts a remark of the Client into the trace.
func (e *Env) note(conn int, m Mark, format string, args ...any) {
	e.trail(Event{Conn: conn, Mark: m}, format, args...)
}

// trail puts a remark of the Client into the trace, with the fields of x.
func (e *Env) trail(x Event, format string, args ...any) {
	if e.trace == nil {
		return
	}
	text := oneLine(fmt.Sprintf(format, args...))
	switch x.Mark {
	case MarkRandom: // a replay uses these bytes again, and they contain no secret
	case MarkOpen, MarkListen, MarkTLS: // addresses and versions, which a replay parses
		text = e.secrets.MaskDistinctive(text)
	default:
		text = e.secrets.MaskText(text)
	}
	x.Time, x.Dir, x.Note = now(), InWords, text
	e.trace(x)
}

// number returns the number of a new connection.
func (c *Client) number() int { return int(c.numbers.Add(1)) }

// serverAt returns the address of the server to which c is connected. It returns the zero Addr if only a proxy knows it, or if c is a
// connection to a proxy that fetches documents itself, perhaps from several servers.
func (e *Env) serverAt(c *Conn, o *DialOptions) netip.Addr {
	a, ok := c.addr.(*net.TCPAddr)
	if !ok || o.For != "" || e.client.Policy.UnixSocket != "" {
		return netip.Addr{}
	}
	ip, ok := netip.AddrFromSlice(a.IP) // without the zone, which is of this machine
	if !ok || ip.IsUnspecified() {
		return netip.Addr{}
	}
	return ip.Unmap()
}
