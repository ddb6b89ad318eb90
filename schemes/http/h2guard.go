package http

import (
	"encoding/binary"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
)

// frameGuard stands between net/http's HTTP/2 and the connection. It reads the heads of the frames along, and keeps the bounds that
// net/http has not: octets of frames that bring nothing of the document (PING, SETTINGS, void DATA, padding, CONTINUATION ...), and time.
// Frames that keep the connection busy are no answer: whoever waits for a header or for the next octets of the body waits so long as
// for any other server. While nobody waits, since the reader is slow and the window is full, silence is nobody's fault.
type frameGuard struct {
	*fetch.Conn
	idle  time.Duration
	lines bool         // what came is no frames: the server answers in lines, as HTTP/1 does
	most  int64        // octets of frames between two of the document, negative for no limit
	since atomic.Int64 // octets since the last one of the document
	until atomic.Int64 // when waiting ends, in Unix nanoseconds; 0 while nobody waits
	fault atomic.Pointer[fetch.Error]

	order *fieldOrder // of what net/http writes, one write at a time
	out   []byte

	// Of the frame at hand:
	head   [frameHead]byte
	had    int // octets of head
	left   int // octets to come
	padded bool
	pad    int // of left, octets of padding
}

const (
	frameHead = 9 // octets: RFC 9113 section 4.1
	frameData = 0 // type
	isPadded  = 8 // flag
)

func newFrameGuard(c *fetch.Conn, env *fetch.Env) *frameGuard {
	return &frameGuard{Conn: c, idle: env.Timeouts().Idle, most: int64(env.Limits().Reply), order: newFieldOrder()}
}

// Write sends the frames of net/http, whose fields it puts in order.
func (g *frameGuard) Write(p []byte) (int, error) {
	var err error
	if g.out, err = g.order.next(g.out[:0], p); err != nil {
		return 0, g.give(fetch.Errorf(fetch.ErrProtocol, "%w", err))
	}
	if len(g.out) == 0 {
		return len(p), nil
	}
	if _, err := g.Conn.Write(g.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Read passes on what comes.
func (g *frameGuard) Read(p []byte) (int, error) {
	for {
		n, err := g.Conn.Read(p)
		g.look(p[:n])
		switch {
		case g.lines:
			return 0, g.give(&fetch.Error{Kind: fetch.ErrProtocol, Text: "the server answers as HTTP/1 does, not as HTTP/2", Hint: "ask it without --http2"})
		case g.most >= 0 && g.since.Load() > g.most:
			return 0, g.give(fetch.Errorf(fetch.ErrLimit, "more than %d octets of frames came that are none of the document", g.most))
		case n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && !g.isLate():
			g.Conn.BeginBody()
		default:
			return n, err
		}
	}
}

// give keeps an error for those to whom net/http, whose reader was quicker than the request, says only that there is no connection.
func (g *frameGuard) give(e *fetch.Error) error {
	g.fault.Store(e)
	return e
}

func (g *frameGuard) isLate() bool {
	until := g.until.Load()
	return until != 0 && time.Now().UnixNano() >= until
}

// wait begins a wait for the server, which done ends.
func (g *frameGuard) wait() {
	if g.idle > 0 {
		t := time.Now().Add(g.idle)
		g.until.Store(t.UnixNano())
		g.Conn.SetReadDeadline(t)
	}
}

func (g *frameGuard) done() {
	if g.until.Swap(0) != 0 {
		g.Conn.SetReadDeadline(time.Time{})
	}
}

// ask begins a request: what was said before it counts no more.
func (g *frameGuard) ask() {
	g.Conn.BeginReply() // what it brings is an answer; its bounds are kept here
	g.Conn.BeginBody()
	g.since.Store(0)
}

// look counts what stands in b.
func (g *frameGuard) look(b []byte) {
	for len(b) > 0 {
		if g.had < frameHead {
			n := copy(g.head[g.had:], b)
			g.had += n
			b = b[n:]
			if g.had < frameHead {
				return
			}
			g.begin()
			continue
		}
		if g.padded {
			g.padded, g.pad = false, int(b[0])
			g.left, b = g.left-1, b[1:]
			g.end()
			continue
		}
		n := min(len(b), g.left)
		if useful := min(n, g.left-g.pad); g.head[3] == frameData && useful > 0 {
			g.since.Store(int64(n - useful))
		} else {
			g.since.Add(int64(n))
		}
		g.left, b = g.left-n, b[n:]
		g.end()
	}
}

// begin takes the head of a frame in.
func (g *frameGuard) begin() {
	g.lines = g.lines || string(g.head[:len("HTTP/")]) == "HTTP/" // a frame of 4.7 MB, of no known type
	g.since.Add(frameHead)
	g.left = int(binary.BigEndian.Uint32(g.head[:]) >> 8)
	g.pad = 0
	g.padded = g.head[3] == frameData && g.head[4]&isPadded != 0 && g.left > 0
	g.end()
}

// end is ready for the next frame once this one is over.
func (g *frameGuard) end() {
	if g.left == 0 {
		g.had = 0
	}
}
