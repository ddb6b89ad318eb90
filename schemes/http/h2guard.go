package http

import (
	"encoding/binary"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
)

// A frameGuard is the connection of net/http's HTTP/2. It parses the headers of the frames, and adds the limits that net/http does not
// have: on the bytes of frames that contain nothing of the document (PING, SETTINGS, empty DATA, padding, CONTINUATION and so on), and on
// time. Frames that keep the connection busy are not an answer: the wait for a header, or for the next bytes of the body, has the same
// timeout as with any other server. There is no timeout while nobody waits, because the reader is slow and the window is full.
type frameGuard struct {
	*fetch.Conn
	idle  time.Duration
	isH1  bool         // the server responds with HTTP/1
	limit int64        // of overhead, negative for none
	extra atomic.Int64 // overhead: bytes since the last byte of the document
	until atomic.Int64 // when the wait ends, in Unix nanoseconds; 0 while nobody waits
	fault atomic.Pointer[fetch.Error]

	collect collector    // of a shared connection
	reads   atomic.Int64 // that have returned bytes

	order *fieldOrder // rewrites what net/http writes, one Write at a time; nil if the connection is shared, and not recorded
	out   []byte

	// The current frame:
	head   [frameHead]byte
	had    int // bytes of head that have arrived
	left   int // bytes of payload to come
	padded bool
	pad    int // bytes of padding in left
}

const (
	frameHead = 9 // bytes: RFC 9113 section 4.1
	frameData = 0 // type
	isPadded  = 8 // flag
)

func newFrameGuard(c *fetch.Conn, env *fetch.Env, shared bool) *frameGuard {
	g := &frameGuard{Conn: c, idle: env.Timeouts().Idle, limit: int64(env.Limits().Reply)}
	g.collect.to, g.collect.written.L = c, &g.collect.mu
	if !shared {
		g.order = newFieldOrder()
	}
	return g
}

// Write writes the frames of net/http with their fields in order.
func (g *frameGuard) Write(p []byte) (int, error) {
	if g.order == nil {
		return g.collect.Write(p)
	}
	var err error
	if g.out, err = g.order.rewrite(g.out[:0], p); err != nil {
		return 0, g.fail(fetch.Errorf(fetch.ErrProtocol, "%w", err))
	}
	if len(g.out) == 0 {
		return len(p), nil
	}
	if _, err := g.Conn.Write(g.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Read checks what it reads.
func (g *frameGuard) Read(p []byte) (int, error) {
	for {
		n, err := g.Conn.Read(p)
		if n > 0 {
			g.reads.Add(1)
		}
		g.count(p[:n])
		switch {
		case g.isH1:
			return 0, g.fail(&fetch.Error{Kind: fetch.ErrProtocol, Text: "the server responds with HTTP/1, not HTTP/2", Hint: fetch.HintSet + " http.version=1.1"})
		case g.limit >= 0 && g.extra.Load() > g.limit:
			return 0, g.fail(fetch.Errorf(fetch.ErrLimit, "more than %d bytes of frames without any part of the document", g.limit))
		case n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && !g.isLate():
			g.Conn.BeginBody()
		default:
			return n, err
		}
	}
}

// fail stores e. If net/http reads the error before the request is sent, its own error is only that there is no connection.
func (g *frameGuard) fail(e *fetch.Error) error {
	g.fault.Store(e)
	return e
}

func (g *frameGuard) isLate() bool {
	until := g.until.Load()
	return until != 0 && time.Now().UnixNano() >= until
}

// startWait starts the timeout for the server. endWait ends it.
func (g *frameGuard) startWait() {
	if g.idle > 0 {
		t := time.Now().Add(g.idle)
		g.until.Store(t.UnixNano())
		g.Conn.SetReadDeadline(t)
	}
}

func (g *frameGuard) endWait() {
	if g.until.Swap(0) != 0 {
		g.Conn.SetReadDeadline(time.Time{})
	}
}

// beginRequest resets the limits for a request. joined means that others may be running.
func (g *frameGuard) beginRequest(joined bool) {
	if !joined {
		g.Conn.BeginReply() // a response is due; its limits are checked here
	}
	g.Conn.BeginBody()
	g.extra.Store(0)
}

// count parses b and counts the overhead.
func (g *frameGuard) count(b []byte) {
	for len(b) > 0 {
		if g.had < frameHead {
			n := copy(g.head[g.had:], b)
			g.had += n
			b = b[n:]
			if g.had < frameHead {
				return
			}
			g.beginFrame()
			continue
		}
		if g.padded {
			g.padded, g.pad = false, int(b[0])
			g.left, b = g.left-1, b[1:]
			g.endFrame()
			continue
		}
		n := min(len(b), g.left)
		if useful := min(n, g.left-g.pad); g.head[3] == frameData && useful > 0 {
			g.extra.Store(int64(n - useful))
		} else {
			g.extra.Add(int64(n))
		}
		g.left, b = g.left-n, b[n:]
		g.endFrame()
	}
}

// beginFrame parses the header of a frame.
func (g *frameGuard) beginFrame() {
	g.isH1 = g.isH1 || string(g.head[:len("HTTP/")]) == "HTTP/" // as a frame, one of 4.7 MB and of an unknown type
	g.extra.Add(frameHead)
	g.left = int(binary.BigEndian.Uint32(g.head[:]) >> 8)
	g.pad = 0
	g.padded = g.head[3] == frameData && g.head[4]&isPadded != 0 && g.left > 0
	g.endFrame()
}

// endFrame prepares for the next frame if this one is complete.
func (g *frameGuard) endFrame() {
	if g.left == 0 {
		g.had = 0
	}
}
