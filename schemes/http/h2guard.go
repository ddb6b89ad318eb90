package http

import (
	"bytes"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"

	"example.org/deref/fetch"
	"example.org/deref/fetch/h2frames"
	"example.org/deref/fetch/hint"
)

// A frameGuard is the connection of net/http's HTTP/2. It reads the frames, too, and adds the limits that net/http does not
// have: on the bytes of frames that contain nothing of the document (PING, SETTINGS, empty DATA, padding, CONTINUATION and so on), and on
// time. Frames that keep the connection busy are not an answer: the wait for a header, or for the next bytes of the body, has the same
// timeout as with any other server. There is no timeout while nobody waits, because the reader is slow and the window is full.
type frameGuard struct {
	*fetch.Conn
	idle  time.Duration
	in    *h2frames.Reader
	bad   error        // of in
	limit int64        // of overhead, negative for none
	extra atomic.Int64 // overhead: bytes since the last byte of the document
	until atomic.Int64 // when the wait ends, in Unix nanoseconds; 0 while nobody waits
	fault atomic.Pointer[fetch.Error]

	collect collector    // of a shared connection
	reads   atomic.Int64 // that have returned bytes

	order *fieldOrder // rewrites what net/http writes, one Write at a time; nil if the connection is shared, and not recorded
}

func newFrameGuard(c *fetch.Conn, env *fetch.Env, shared bool) *frameGuard {
	g := &frameGuard{Conn: c, in: h2frames.NewReader(false, nil), idle: env.Timeouts().Idle, limit: int64(env.Limits().Reply)}
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
	out, err := g.order.rewrite(p)
	if err != nil {
		return 0, g.fail(fetch.Errorf(fetch.ErrProtocol, "net/http wrote a bad frame: %w", err))
	}
	if len(out) > 0 {
		_, err = g.Conn.Write(out)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Read checks what it reads.
func (g *frameGuard) Read(p []byte) (int, error) {
	for {
		if g.bad != nil {
			return 0, g.fail(fetch.Errorf(fetch.ErrProtocol, "the server sent a bad frame: %w", g.bad))
		}
		n, err := g.Conn.Read(p)
		first := n > 0 && g.reads.Add(1) == 1
		g.bad = g.count(p[:n])
		switch {
		case first && bytes.HasPrefix(p[:n], []byte("HTTP/")):
			return 0, g.fail(&fetch.Error{Kind: fetch.ErrProtocol, Text: "the server responds with HTTP/1, not HTTP/2", Hint: hint.Set + " http.version=1.1"})
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

// count counts the overhead in b. It returns an error at a bad frame, which net/http should not accept, either.
func (g *frameGuard) count(b []byte) error {
	g.in.Write(b)
	for {
		frame, raw, err := g.in.Next()
		if raw == nil {
			return err
		}
		data, isData := frame.(*http2.DataFrame)
		if isData && len(data.Data()) > 0 {
			g.extra.Store(int64(len(raw) - len(data.Data())))
		} else {
			g.extra.Add(int64(len(raw)))
		}
	}
}
